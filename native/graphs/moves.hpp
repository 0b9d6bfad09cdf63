// How graphs of a population change: learners/pfmn/reference.py, which says what this must do, step by step.
#pragma once
#include <cstddef>
#include <cstdint>

#include "graphs/separation.hpp"

namespace graphoid {

// Tests that were asked, and what each answer adds to the log posterior of a graph that separates its two variables.
struct Evidence {
    std::size_t size;
    const std::int32_t* x;
    const std::int32_t* y;
    const Word* given;
    const double* gain;
};

// Pairs that may change, in order, and the log prior of a graph by its number of edges.
struct Room {
    std::size_t size;
    const std::int32_t* x;
    const std::int32_t* y;
    const double* log_prior;
};

// At most `steps` Metropolis moves of one graph, each flipping every pair of the room with probability alpha; fewer
// once `enough` were accepted. Returns how many there were.
int move(Word* graph, int n, const Evidence& evidence, const Room& room, double alpha, int steps, int enough, Word key);

// Metropolis-Hastings moves of one graph that cut an edge of the room, join a pair, or take an edge to another variable.
void walk(Word* graph, int n, const Evidence& evidence, const Room& room, int steps, Word key);

// Joins and cuts pairs of the room until the graph contradicts no test whose gain is at least `sure` in size, at most
// `rounds` times. Returns how many it still contradicts.
int repair(Word* graph, int n, const Evidence& evidence, const Room& room, double sure, int rounds, Word key);

}  // namespace graphoid
