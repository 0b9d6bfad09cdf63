// The grow-shrink loop of learners/grow_shrink/loop.py in many resamples of the same rows, which share their counting.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/judge.hpp"
#include "counting/resamples.hpp"

namespace graphoid {

struct GrowShrink {
    Settings test;                   // with a p-value
    double alpha = 0.05;
    bool propagate = true, skip_independent = false;
    bool both = false;               // the rule: an edge has to be found from either end
    bool infer = false;              // rules first, data second
    double check = -HUGE_VAL;        // pairs of this log p-value at most are taken apart by tests of their own only
};

// What a resample gave: edges[x * n + y] for x < y, and how many tests were executed.
struct Grown {
    std::vector<std::uint8_t> edges;
    std::size_t tests = 0;
};

std::vector<Grown> grow_shrink(Resamples& data, const GrowShrink& settings);

}  // namespace graphoid
