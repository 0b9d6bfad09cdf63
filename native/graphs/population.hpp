// Many graphs over the same variables at once: learners/pfmn/population.py, which says what this must do.
//
// A graph is one word a variable, bit j of word i for the edge i-j; so there are at most 64 variables. A population is
// its graphs one after the other.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/separation.hpp"
#include "counting/simd.hpp"

namespace graphoid {

// The population turned on its side: for every pair of variables a bit a graph, in blocks of graphs that are searched
// together.
class Planes {
public:
    Planes(const Word* graphs, std::size_t n_graphs, int n);

    std::size_t words() const { return words_; }
    const Word* graph(std::size_t g) const { return graphs_ + g * static_cast<std::size_t>(n_); }

    // One bit a graph: whether every path from x to y goes through `given`. `out` has words() words.
    void separated(int x, int y, Word given, Word* out) const;

private:
    const Word* graphs_;  // not owned
    int n_;
    const Simd* simd_;
    std::size_t n_graphs_, words_, blocks_;
    std::vector<Word> planes_;  // block, variable, variable, word
    std::vector<Word> joined_;  // block, variable: what it is joined to in any graph of the block
};

// A smallest set that separates x and y once their edge is taken away: of all such sets the one nearest to x.
Word smallest_separator(const Word* graph, int n, int x, int y);

// Graphs with weights that sum to one, and of every graph the class of its answers so far.
struct Population {
    const Planes* planes;
    std::size_t size;
    const double* weight;
    const std::int32_t* group;
    std::size_t n_groups;
};

// Algorithm 2 of PFMN for one pair: the conditioning set that a climb by 1, 2, ... `max_flips` flips from the empty set
// ends in, and its score, information gain over the price by the size of the set. `floor` is the best score of any pair
// so far: a pair that cannot reach it is left at the empty set.
struct Climb {
    Word given;
    double score;
};
Climb climb(const Population& population, int n, int x, int y, const double* price, int max_flips, std::atomic<double>& floor);

}  // namespace graphoid
