// Missing cells are counted as if they were one more state, the last code of their column, and leave the tables here.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "counting/dataset.hpp"

namespace graphoid {

// Moves the cells without holes of tables of `variables`, last fastest, to the front, in order; returns how many they are.
template <class Count>
std::size_t drop_holes(const Dataset& data, const std::vector<int>& variables, Count* cells) {
    std::size_t last = variables.size(), inner = 1, outer = 1;  // the last variable with holes; cells beneath it; runs above it
    for (std::size_t i = 0; i < variables.size(); ++i)
        if (data.columns[variables[i]].holes) last = i;
    if (last == variables.size()) {
        for (const int v : variables) inner *= data.columns[v].arity;
        return inner;
    }
    for (std::size_t i = last + 1; i < variables.size(); ++i) inner *= data.columns[variables[i]].arity;
    for (std::size_t i = 0; i < last; ++i) outer *= data.columns[variables[i]].states();
    const std::size_t run = data.columns[variables[last]].states() * inner, step = data.columns[variables[last]].arity * inner;
    for (std::size_t o = 0; o < outer; ++o) {
        std::size_t from = 0, rest = o, below = step;
        for (std::size_t i = last; i-- > 0; rest /= data.columns[variables[i]].states(), below *= data.columns[variables[i]].arity)
            from += rest % data.columns[variables[i]].states() * below;
        if (from != o * run) std::copy_n(cells + from, run, cells + o * run);
    }
    return outer * run;
}

// The same for tables of x and y, one after the other.
template <class Count>
void drop_holes(const Column& x, const Column& y, std::size_t n, Count* cells) {
    if (!x.holes && !y.holes) return;
    const std::size_t states = y.states();
    Count* to = cells;
    for (std::size_t s = 0; s < n; ++s, cells += std::size_t{x.arity} * y.arity)
        for (std::uint32_t i = 0; i < x.states(); ++i, to += states)
            if (to != cells + i * y.arity) std::copy_n(cells + i * y.arity, states, to);
}

}  // namespace graphoid
