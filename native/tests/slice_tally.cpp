#include "tests/slice_tally.hpp"

#include <algorithm>
#include <cmath>

namespace graphoid {
namespace {

constexpr std::size_t kMostSlices = 0xFFFFFFF0u;  // of a part: what a merger can number

Column from(const Column& column, std::size_t start) {
    Column later = column;
    if (later.narrow != nullptr) later.narrow += start;
    if (later.wide != nullptr) later.wide += start;
    return later;
}

}  // namespace

SliceTally::SliceTally(std::vector<std::uint32_t> given, std::uint32_t rx, std::uint32_t ry, double unit,
                       const Settings& settings, double pseudo_count, double rows)
    : given_(std::move(given)), size_(static_cast<std::size_t>(rx) * ry), ry_(ry), unit_(unit),
      rising_(rising_tables(RisingTables::length_for(rows))),
      judge_(with_rising(settings, *rising_, pseudo_count), *choose_simd("")),
      slices_(std::make_unique<RowMerger>(given_, kMostSlices)) {
    double configurations = 1, logarithm = 0;
    for (const std::uint32_t arity : given_) {
        configurations *= arity;
        logarithm += std::log(static_cast<double>(arity));
    }
    judge_.begin(rx, ry, configurations, std::isinf(configurations) ? logarithm : std::log(configurations));
}

void SliceTally::add(const std::vector<Column>& columns, const std::int64_t* units, std::size_t n) {
    ids_.resize(kChunk);
    std::vector<Column> given(given_.size());
    const Column &x = columns[given_.size()], &y = columns[given_.size() + 1];
    for (std::size_t start = 0; start < n; start += kChunk) {
        const std::size_t some = std::min(kChunk, n - start);
        for (std::size_t v = 0; v < given.size(); ++v) given[v] = from(columns[v], start);
        slices_->add(given, nullptr, some, ids_.data());
        cells_.resize(slices_->size() * size_, 0);
        for (std::size_t i = 0; i < some; ++i)
            add_units(cells_[ids_[i] * size_ + x[start + i] * ry_ + y[start + i]], units != nullptr ? units[start + i] : 1);
    }
}

void SliceTally::close_part() {
    std::vector<double> slice(size_);
    for (std::size_t s = 0; s < cells_.size(); s += size_) {
        for (std::size_t c = 0; c < size_; ++c) slice[c] = static_cast<double>(cells_[s + c]) * unit_;
        judge_.slice(slice.data());
    }
    cells_.clear();
    slices_ = std::make_unique<RowMerger>(given_, kMostSlices);
}

}  // namespace graphoid
