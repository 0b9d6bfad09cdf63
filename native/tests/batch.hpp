// Many questions at once: grouped by conditioning set, each group answered by the cheapest kernel.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"
#include "tests/judge.hpp"
#include "counting/slices.hpp"

namespace graphoid {

struct Question {
    int x, y;
    const int* given;   // any order
    int n_given;
};

// Answers every question. Each is computed by one thread from whole-number counts, and sums over slices do
// not depend on their order, so the numbers are the same for any number of threads and any company.
void judge_batch(Dataset& data, SliceCache& cache, const Settings& settings, const std::vector<Question>& questions,
                 unsigned threads, Numbers* answers);

}  // namespace graphoid
