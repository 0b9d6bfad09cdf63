// Many resamples of the same rows, counted together: a row is looked at once and adds its weight in every resample.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "counting/cells.hpp"
#include "counting/dataset.hpp"

namespace graphoid {

// The counts of some cells in every resample from `first` on.
struct Listed {
    std::size_t first = 0, cells = 0;
    std::vector<std::uint16_t> low, high;  // two bytes each of [resample][cell]; no high ones where all are zero

    bool empty() const { return low.empty(); }
    std::size_t bytes() const { return 2 * (low.size() + high.size()); }
    void read(std::size_t resample, std::uint32_t* out) const;
};

// Draws n of n rows with replacement: adds one to out[row_of[row]] for each. Two rows a word of the stream of `key`.
// Returns whether no count went beyond what it can hold.
template <class Count>
bool draw_rows(std::uint64_t key, std::size_t n, const std::int32_t* row_of, Count* out);

class Resamples {
public:
    // weights[r * n_rows + i] says how often row i is in resample r. Columns have one byte a code.
    Resamples(std::size_t n_rows, std::vector<Column> columns, const std::uint8_t* weights, std::size_t n, const Simd& simd);

    const std::size_t n;  // resamples

    const Dataset& data() const { return data_; }
    std::uint32_t arity(int v) const { return data_.columns[v].arity; }
    int n_variables() const { return static_cast<int>(data_.columns.size()); }
    // Counts in one resample.
    void count_one(const Cells& cells, std::size_t resample, std::uint32_t* out);
    // Counts in all resamples from `first` on, which share the work if the cells are few enough.
    static bool shared(const Cells& cells) { return cells.n() <= 65536; }
    Listed count_all(const Cells& cells, std::size_t first);
    // Tables of some pairs x < y among the variables, in every resample: out[k][r * size + cell]. One pass for all.
    using Pair = std::pair<int, int>;
    void count_pairs(const std::vector<int>& variables, const std::vector<Pair>& pairs, std::vector<std::vector<std::uint32_t>>& out);

private:
    // Counts block by block, each so short that two bytes hold its counts; calls done(first lane, lanes) after each.
    template <class Done>
    void count_lanes(const std::uint16_t* cell, std::size_t cells, std::size_t first, Done done);

    Dataset data_;
    const std::uint8_t* by_resample_;
    std::size_t lanes_;                         // of a row, padded to whole vectors
    Aligned<std::uint8_t> by_row_;
    std::vector<std::size_t> bounds_;           // of the blocks
    std::vector<std::uint16_t> code_;
    Aligned<std::uint16_t> counted_;            // [cell][lane]
    std::size_t capacity_ = 0;
    std::vector<std::uint32_t> turns_;          // four histograms that take turns
    std::vector<std::uint16_t> margin_;
};

}  // namespace graphoid
