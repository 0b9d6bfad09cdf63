// Gibbs sampling of variables with any number of states: 64 chains side by side, log-potentials looked up and added.
#pragma once
#include <cstddef>
#include <cstdint>

namespace graphoid {

// Variable v has arity[v] states and terms first_term[v] .. first_term[v+1]-1. Term t looks at members
// first_member[t] .. first_member[t+1]-1, whose states times their strides add up to the number of a configuration. It is
// looked for among listed[first_listed[t]] .. listed[first_listed[t+1]-1], sorted; its place there, or their number where it
// is missing, is the line of the term's table. Where nothing is listed, the number itself is the line. Lines start at
// first_cell[t]: of `levels`, arity - 1 cumulative probabilities in units of 2^-31, where the variable's terms were fused
// into one (fused[v]); else of `values`, arity logarithms each, to be added up.
struct StateConditionals {
    std::size_t n;
    const std::int32_t* arity;
    const std::uint8_t* fused;
    const std::int64_t *first_term, *first_member, *first_listed, *first_cell;
    const std::int32_t* members;
    const std::int64_t *strides, *listed;
    const std::uint32_t* levels;
    const double* values;
};

// `times` rows of every chain into out[variable][time][chain]: the first after burn_in sweeps, the others `thin` sweeps
// apart. One key for each group of chains; the sample does not depend on the number of threads.
void sample_chains(const StateConditionals& given, const std::uint64_t* keys, std::size_t groups, std::size_t times,
                   std::size_t burn_in, std::size_t thin, unsigned threads, std::uint16_t* out);

}  // namespace graphoid
