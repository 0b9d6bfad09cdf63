// Independence in a context, for every context at once: assignments grouped by what they say of some variables,
// and each group judged by itself.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"
#include "tests/judge.hpp"

namespace graphoid {

// What one slice says of X and Y.
struct ContextNumbers {
    Numbers numbers;
    double n_rows;
    bool varies;  // both X and Y take more than one state
};

struct ContextAnswers {
    std::vector<std::uint32_t> slice_of;  // for every assignment, in the order of the data
    std::vector<ContextNumbers> slices;
};

// Answers X independent of Y in the context that each row of the data gives `given`. Rows are distinct assignments;
// their weights say how often each was seen, and none is zero.
ContextAnswers judge_contexts(const Dataset& data, const Settings& settings, int x, int y, const std::vector<int>& given);

}  // namespace graphoid
