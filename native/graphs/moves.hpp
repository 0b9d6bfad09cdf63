// How graphs of a population change: learners/pfmn/reference.py, which says what this must do, step by step.
#pragma once
#include <cstddef>
#include <cstdint>

#include "graphs/separation.hpp"

namespace graphoid {

// Tests with their answers: what each adds to the log posterior of a graph that separates its two variables.
struct Evidence {
    std::size_t size;
    const std::int32_t* x;
    const std::int32_t* y;
    const Word* given;
    const double* log_ratio;
};

// Pairs that may change, in order.
struct FreePairs {
    std::size_t size;
    const std::int32_t* x;
    const std::int32_t* y;
};

// The log posterior that moves aim at; `log_prior` is by the number of edges of a graph.
struct Target {
    const Evidence& evidence;
    const double* log_prior;
};

// At most `steps` Metropolis moves of one graph, each flipping every free pair with probability alpha; fewer once
// `enough` were accepted. Returns how many there were.
int flip_moves(Word* graph, int n, const Target& target, const FreePairs& free, double alpha, int steps, int enough, Word key);

// Metropolis-Hastings moves of one graph that delete a free edge, add one, or turn one to another variable. Returns how
// many were accepted.
int edge_moves(Word* graph, int n, const Target& target, const FreePairs& free, int steps, Word key);

// Adds and deletes free edges until the graph contradicts no test whose log ratio is at least `sure` in size, at most
// `rounds` times. Returns how many it still contradicts.
int repair(Word* graph, int n, const Evidence& evidence, const FreePairs& free, double sure, int rounds, Word key);

}  // namespace graphoid
