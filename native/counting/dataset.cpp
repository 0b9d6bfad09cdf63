#include "counting/dataset.hpp"

#include <algorithm>
#include <new>

namespace graphoid {

namespace {
constexpr std::align_val_t kCacheLine{64};
}

void* aligned_bytes(std::size_t bytes) {
    return ::operator new((std::max<std::size_t>(bytes, 1) + 63) / 64 * 64, kCacheLine);
}

void AlignedFree::operator()(void* p) const { ::operator delete(p, kCacheLine); }

Dataset::Dataset(std::size_t rows, std::vector<Column> cols, const std::int64_t* row_units, double row_unit,
                 const Simd* chosen)
    : n_rows(rows),
      words((rows + 64 * kWordAlign - 1) / (64 * kWordAlign) * kWordAlign),
      columns(std::move(cols)),
      units(row_units),
      unit(row_unit),
      simd(*chosen),
      planes_(columns.size()),
      block_of_(columns.size(), -1),
      lane_of_(columns.size(), 0) {
    // Columns of like arity share a block: its cost is that of the largest.
    std::vector<int> eligible;
    for (std::size_t v = 0; v < columns.size(); ++v)
        if (columns[v].narrow != nullptr && columns[v].arity <= kMaxTallied) eligible.push_back(static_cast<int>(v));
    std::stable_sort(eligible.begin(), eligible.end(),
                     [this](int a, int b) { return columns[a].arity < columns[b].arity; });
    const std::size_t most = n_rows == 0 ? 0 : kBlockBytes / (n_rows * kLanes);
    for (std::size_t i = 0; i < eligible.size() && i / kLanes < most; ++i) {
        if (i % kLanes == 0) blocks_.emplace_back();
        Block& block = blocks_.back();
        block_of_[eligible[i]] = static_cast<int>(i / kLanes);
        lane_of_[eligible[i]] = static_cast<int>(i % kLanes);
        block.variables.push_back(eligible[i]);
        block.arity = columns[eligible[i]].arity;
    }
}

void Dataset::make(int v) {
    const std::lock_guard<std::mutex> lock(making_);
    Planes& planes = planes_[v];
    if (planes.ready.load(std::memory_order_relaxed)) return;
    const Column& column = columns[v];
    planes.bits = aligned<Word>(words * column.arity);
    planes.margin.resize(column.arity);
    for (std::uint32_t s = 0; s < column.arity; ++s) {
        Word* plane = planes.bits.get() + s * words;
        simd.pack(column.narrow, n_rows, static_cast<std::uint8_t>(s), plane, words);
        planes.margin[s] = static_cast<std::uint32_t>(simd.count_and(plane, plane, words));
    }
    planes.ready.store(true, std::memory_order_release);
}

const std::uint8_t* Dataset::block(int b) {
    Block& block = blocks_[b];
    std::call_once(block.once, [&] {
        Aligned<std::uint8_t> bytes = aligned<std::uint8_t>(n_rows * kLanes);
        constexpr std::size_t tile = 64;  // rows and columns of a tile stay in the first cache
        for (std::size_t start = 0; start < n_rows; start += tile) {
            const std::size_t stop = std::min(n_rows, start + tile);
            std::fill(bytes.get() + start * kLanes, bytes.get() + stop * kLanes, std::uint8_t{0});
            for (std::size_t lane = 0; lane < block.variables.size(); ++lane) {
                const std::uint8_t* column = columns[block.variables[lane]].narrow;
                for (std::size_t row = start; row < stop; ++row) bytes[row * kLanes + lane] = column[row];
            }
        }
        block.bytes = std::move(bytes);
    });
    return block.bytes.get();
}

}  // namespace graphoid
