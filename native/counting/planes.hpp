// Conditional tables from bit planes: one mask for every slice that occurs, then AND + popcount.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"

namespace graphoid {

class SliceMasks {
public:
    explicit SliceMasks(Dataset& data) : data_(data), margin_at_(data.columns.size(), -1) {}

    // Prepares the slices of `given` for many tables; what was prepared before is forgotten.
    void condition_on(const int* given, int n_given);
    // Cells [slice][x][y] of the slices that occur, without those of holes; returns how many there are. X and Y have holes,
    // as last code.
    std::size_t table(int x, int y, std::uint32_t* cells);
    // The same for one table alone: slice by slice, so that masks stay in the first cache. With `all`, slices
    // that do not occur are there too, as zeros.
    std::size_t table_given(const int* given, int n_given, int x, int y, bool all, std::uint32_t* cells);

private:
    // Counts [slice][state] of one variable; made once for each conditioning set.
    std::size_t margins(int v);
    struct Path {
        const int* given;
        int n_given, x, y;
        bool all;
    };
    void descend(const Path& path, int depth, const Word* mask, std::uint32_t ones, std::uint32_t*& cells);

    Dataset& data_;
    std::vector<const Word*> bits_;          // of each slice; empty if there is no condition
    std::vector<std::uint32_t> ones_;        // rows in each slice
    std::vector<Word> storage_[2];
    std::vector<std::uint32_t> margins_;
    std::vector<std::ptrdiff_t> margin_at_;  // where a variable's margins begin, -1: not yet made
    std::vector<int> counted_;
    std::vector<Word> path_;                 // one mask for each variable down to the slice at hand
};

}  // namespace graphoid
