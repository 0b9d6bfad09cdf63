// Conditional tables from bit planes: one mask for every slice that occurs, then AND + popcount.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset.hpp"

namespace graphoid {

class SliceMasks {
public:
    explicit SliceMasks(Dataset& data) : data_(data), margin_at_(data.columns.size(), -1) {}

    // Prepares the slices of `given`; what was prepared before is forgotten.
    void condition_on(const std::vector<int>& given);
    std::size_t n_slices() const { return ones_.size(); }
    // Cells [slice][x][y] of the slices that occur.
    void table(int x, int y, std::uint32_t* cells);

private:
    // Counts [slice][state] of one variable; made once for each conditioning set.
    std::size_t margins(int v);

    Dataset& data_;
    std::vector<const Word*> bits_;          // of each slice; empty if there is no condition
    std::vector<std::uint32_t> ones_;        // rows in each slice
    std::vector<Word> storage_[2];
    std::vector<std::uint32_t> margins_;
    std::vector<long> margin_at_;            // where a variable's margins begin, -1: not yet made
    std::vector<int> made_;
};

}  // namespace graphoid
