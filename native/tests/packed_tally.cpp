#include "tests/packed_tally.hpp"

#include <algorithm>
#include <cmath>

namespace graphoid {
namespace {

std::uint64_t mix(std::uint64_t slice) {
    slice *= 0xD6E8FEB86659FD93u;
    slice ^= slice >> 32;
    slice *= 0xD6E8FEB86659FD93u;
    return slice ^ slice >> 32;
}

}  // namespace

PackedTally::PackedTally(const std::vector<std::uint32_t>& arities, const std::vector<std::uint32_t>& order,
                         const Settings& settings, double pseudo_count, std::size_t rows, std::size_t held)
    : rising_(rising_tables(RisingTables::length_for(static_cast<double>(rows)))),
      judge_(with_rising(settings, *rising_, pseudo_count), *choose_simd("")) {
    const std::uint32_t rx = arities[order[order.size() - 2]], ry = arities[order.back()];
    size_ = std::size_t{rx} * ry;
    for (const std::uint32_t v : order) n_cells_ *= arities[v];
    const std::uint64_t n_slices = n_cells_ / size_;
    written_ = n_cells_ <= std::min(std::uint64_t{kMostWritten} * held, std::uint64_t{kCellsPerRow} * rows);
    if (written_) {
        part_slices_ = std::min<std::size_t>(n_slices, std::max<std::size_t>(1, held / size_));
        n_parts_ = (n_slices + part_slices_ - 1) / part_slices_;
        cells_.resize(part_slices_ * size_, 0);
    } else {
        while ((std::size_t{1} << slice_shift_) < size_) ++slice_shift_;
        const std::size_t most = std::max<std::size_t>(1, held / 2);  // numbers of 64 bits
        n_parts_ = rows / most + 1;
        buckets_.resize(rows / n_parts_ / std::clamp<std::size_t>(kBucketCells / size_, 1, kBucketRows) + 1);
    }
    find_bits(arities, order);
    const auto configurations = static_cast<double>(n_slices);
    judge_.begin(rx, ry, configurations, std::log(configurations));
}

void PackedTally::find_bits(const std::vector<std::uint32_t>& arities, const std::vector<std::uint32_t>& order) {
    const std::vector<Place> places = places_of(arities);
    std::vector<std::array<std::uint64_t, 64>> of_bit(places.back().word + 1);
    for (auto& word : of_bit) word.fill(0);
    std::uint64_t step = 1;
    for (std::size_t k = order.size(); k-- > 0; step *= arities[order[k]]) {
        if (!written_ && k + 3 == order.size()) step = std::uint64_t{1} << slice_shift_;
        const Place place = places[order[k]];
        for (std::uint32_t b = 0; b < place.bits; ++b) of_bit[place.word][place.shift + b] += step << b;
    }
    for (std::size_t word = 0; word < of_bit.size(); ++word)
        for (std::uint32_t shift = 0; shift < 64; shift += 8) {
            const std::uint64_t* add = of_bit[word].data() + shift;
            if (std::all_of(add, add + 8, [](std::uint64_t a) { return a == 0; })) continue;
            bits_.push_back({word, shift, {}});
            for (std::uint32_t value = 0; value < 256; ++value)
                for (std::uint32_t b = 0; b < 8; ++b) bits_.back().add[value] += value >> b & 1 ? add[b] : 0;
        }
}

template <int Count>
void PackedTally::add_bits(const Bits* bits, const Word* word, std::ptrdiff_t step, std::size_t n, std::uint64_t* cell) {
    for (std::size_t i = 0; i < n; ++i, word += step) {
        std::uint64_t sum = cell[i];
        for (int k = 0; k < Count; ++k) sum += bits[k].add[*word >> bits[k].shift & 255];
        cell[i] = sum;
    }
}

void PackedTally::find_cells(const PackedBlock& rows, std::size_t start, std::size_t n, std::uint64_t* cell) const {
    std::fill_n(cell, n, 0);
    for (std::size_t k = 0, same = 0; k < bits_.size(); k += same) {
        for (same = 1; same < 4 && k + same < bits_.size() && bits_[k + same].word == bits_[k].word;) ++same;
        const Bits* bits = bits_.data() + k;
        const Word* word = rows.words + static_cast<std::ptrdiff_t>(bits->word) * rows.word_step + static_cast<std::ptrdiff_t>(start) * rows.row_step;
        switch (same) {  // loops of a known length are unrolled
            case 1: add_bits<1>(bits, word, rows.row_step, n, cell); break;
            case 2: add_bits<2>(bits, word, rows.row_step, n, cell); break;
            case 3: add_bits<3>(bits, word, rows.row_step, n, cell); break;
            default: add_bits<4>(bits, word, rows.row_step, n, cell);
        }
    }
}

bool PackedTally::add(const PackedBlock& rows, const std::int64_t* units) {
    std::uint64_t cell[kChunk];
    bool states = true;
    for (std::size_t start = 0; start < rows.n; start += kChunk) {
        const std::size_t some = std::min(kChunk, rows.n - start);
        find_cells(rows, start, some, cell);
        const std::int64_t* weights = units != nullptr ? units + start : nullptr;
        states &= written_ ? write(cell, weights, some) : put(cell, weights, some);
    }
    return states;
}

bool PackedTally::write(const std::uint64_t* cell, const std::int64_t* units, std::size_t n) {
    const std::uint64_t first = std::uint64_t{part_} * part_slices_ * size_, held = cells_.size();
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < n; ++i) {
        last = std::max(last, cell[i]);
        if (cell[i] - first < held) cells_[cell[i] - first] += units != nullptr ? static_cast<std::uint32_t>(units[i]) : 1;
    }
    return last < n_cells_;
}

bool PackedTally::put(const std::uint64_t* cell, const std::int64_t* units, std::size_t n) {
    const std::uint64_t first = std::uint64_t{part_} * buckets_.size(), all = std::uint64_t{n_parts_} * buckets_.size();
    const std::uint64_t within = (std::uint64_t{1} << slice_shift_) - 1;
    bool states = true;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t bucket = (mix(cell[i] >> slice_shift_) >> 32) * all >> 32;
        if (bucket - first >= buckets_.size()) continue;
        if ((cell[i] & within) >= size_) {
            states = false;
            continue;
        }
        Bucket& rows = buckets_[bucket - first];
        if (units != nullptr) {
            rows.units.resize(rows.cells.size(), 1);  // those before without units
            rows.units.push_back(static_cast<std::uint32_t>(units[i]));
        }
        rows.cells.push_back(cell[i]);
    }
    return states;
}

// Finds the slices of rows, counts the cells of those that have more than one, and has them judged.
void PackedTally::judge_bucket(Bucket& rows) {
    const std::size_t n = rows.cells.size();
    if (!rows.units.empty()) rows.units.resize(n, 1);
    const auto units = [&](std::size_t i) { return rows.units.empty() ? 1 : rows.units[i]; };
    std::size_t slots = 64;
    while (slots < 2 * n) slots *= 2;
    slots_.assign(slots, 0);
    slice_of_.resize(n);
    slices_.clear();
    rows_of_.clear();
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t slice = rows.cells[i] >> slice_shift_;
        std::size_t at = mix(slice) & (slots - 1);
        while (slots_[at] != 0 && slices_[slots_[at] - 1] != slice) at = (at + 1) & (slots - 1);
        if (slots_[at] == 0) {
            slices_.push_back(slice);
            rows_of_.push_back(0);
            slots_[at] = static_cast<std::uint32_t>(slices_.size());
        }
        slice_of_[i] = slots_[at] - 1;
        rows_of_[slice_of_[i]] += units(i);
    }
    constexpr std::uint32_t single = ~std::uint32_t{0};
    std::uint32_t judged = 0;
    for (std::uint32_t& weight : rows_of_) weight = weight > 1 ? judged++ : single;  // from now on its place
    judge_.singles(rows_of_.size() - judged);
    cells_.assign(judged * size_, 0);
    const std::uint64_t within = (std::uint64_t{1} << slice_shift_) - 1;
    for (std::size_t i = 0; i < n; ++i)
        if (rows_of_[slice_of_[i]] != single) cells_[rows_of_[slice_of_[i]] * size_ + (rows.cells[i] & within)] += units(i);
    judge_.slices(cells_.data(), judged);
    rows.cells.clear();
    rows.units.clear();
}

void PackedTally::close_part() {
    if (written_) {
        judge_.slices(cells_.data(), std::min<std::size_t>(part_slices_, n_cells_ / size_ - part_ * part_slices_));
        std::fill(cells_.begin(), cells_.end(), 0);
    } else {
        for (Bucket& rows : buckets_) judge_bucket(rows);
    }
    ++part_;
}

}  // namespace graphoid
