// Many resamples of the same rows, counted together: a row is looked at once and adds its weight in every resample.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "dataset.hpp"
#include "slices.hpp"

namespace graphoid {

// A table of (slice, x, y), last fastest, over the slices of `given` that occur among the rows.
struct Crossing {
    int x, y;
    std::vector<int> given;  // ascending
};

// The cells of a table that occur, and their counts in every resample from `first` on.
struct Listed {
    std::size_t first = 0;
    std::vector<std::uint32_t> cells;      // ascending
    std::vector<std::uint16_t> low, high;  // two bytes each of [resample][cell]; no high ones where all are zero

    std::size_t bytes() const { return 4 * cells.size() + 2 * (low.size() + high.size()); }
    void add(std::uint32_t count) {
        low.push_back(static_cast<std::uint16_t>(count));
        high.push_back(static_cast<std::uint16_t>(count >> 16));
    }
    std::uint32_t operator()(std::size_t resample, std::size_t k) const {
        const std::size_t at = (resample - first) * cells.size() + k;
        return low[at] | (high.empty() ? 0u : static_cast<std::uint32_t>(high[at]) << 16);
    }
};

// Draws n of n rows with replacement: adds one to out[row_of[row]] for each. Two rows a word of the stream of `key`.
void draw_rows(std::uint64_t key, std::size_t n, const std::int32_t* row_of, std::uint32_t* out);

class Resamples {
public:
    // weights[r * n_rows + i] says how often row i is in resample r. Columns have one byte a code.
    Resamples(std::size_t n_rows, std::vector<Column> columns, const std::uint8_t* weights, std::size_t n, const Simd& simd);

    const std::size_t n;  // resamples

    std::uint32_t arity(int v) const { return data_.columns[v].arity; }
    const Simd& simd() const { return data_.simd; }
    int n_variables() const { return static_cast<int>(data_.columns.size()); }
    std::size_t table_size(const Crossing& q);
    std::size_t n_slices(const std::vector<int>& given) { return slices(given).n; }
    // Whether a table is small enough for two-byte codes, without which count_all has nothing to share.
    bool narrow(const Crossing& q) { return table_size(q) <= 65536; }
    Listed count_all(const Crossing& q, std::size_t first);
    // Counts in one resample.
    void count_one(const Crossing& q, std::size_t resample, std::uint32_t* out);
    // Tables of some pairs x < y among the variables, in every resample: out[k][r * size + cell]. One pass for all.
    using Pair = std::pair<int, int>;
    void count_pairs(const std::vector<int>& variables, const std::vector<Pair>& pairs, std::vector<std::vector<std::uint32_t>>& out);

private:
    const Slices& slices(const std::vector<int>& given);
    void code(const Crossing& q);
    // Counts block by block, each so short that two bytes hold its counts; calls done(first lane, lanes) after each.
    template <class Done>
    void count_lanes(std::size_t cells, std::size_t first, Done done);

    Dataset data_;
    const std::uint8_t* by_resample_;
    std::size_t lanes_;                         // of a row, padded to whole vectors
    Aligned<std::uint8_t> by_row_;
    std::vector<std::size_t> bounds_;           // of the blocks
    std::map<std::vector<int>, Slices> held_;   // of conditioning sets asked about before
    std::size_t held_bytes_ = 0;
    std::vector<std::uint32_t> occur_;
    std::vector<std::uint16_t> code16_;
    std::vector<std::uint32_t> code32_;
    Aligned<std::uint16_t> counted_;            // [cell][lane]
    std::size_t room_ = 0;
    std::vector<std::uint32_t> turns_;          // four histograms that take turns
    std::vector<std::uint16_t> margin_;
};

}  // namespace graphoid
