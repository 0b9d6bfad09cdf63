// A test of all pairs of variables, of which only the strongest are kept: memory goes with what is kept, not with pairs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/slices.hpp"
#include "tests/judge.hpp"

namespace graphoid {

// Two different variables.
struct Listed {
    std::int32_t x, y;
};

struct ScreenSettings {
    Settings test;
    std::size_t partners = 0;          // so many of every variable, the most dependent first
    double limit = 0;                  // and every pair whose number is at most this; -infinity: none
    bool totals = false;               // and of every variable the sum over its pairs
    const std::uint32_t* rank = nullptr;  // of the variables among equals
    const std::vector<Listed>* only = nullptr;  // these pairs, each of them once; null: all
};

struct Screened {
    std::vector<std::int32_t> partner;  // a line for every variable; -1 where it has fewer others
    std::vector<double> strength;       // their numbers: log p-value, or log odds of independence
    std::vector<std::int32_t> x, y;     // pairs within the limit, x < y, sorted
    std::vector<double> value;
    std::vector<double> total;          // in steps of 2^-24, so that the order of adding does not matter
};

// The numbers are those of judge_batch to the bit, for any number of threads.
Screened screen_pairs(Dataset& data, SliceCache& cache, const ScreenSettings& settings, unsigned threads);

}  // namespace graphoid
