// Gibbs sampling of binary variables: 64 chains side by side, their conditional distributions looked up in tables.
#pragma once
#include <cstddef>
#include <cstdint>

namespace graphoid {

// Variable v has terms first_term[v] .. first_term[v+1]-1; term t looks at members first_member[t] .. first_member[t+1]-1,
// whose states (the first as the lowest bit) index its table at first_cell[t]: of thresholds where it is the only term,
// of log_odds, to be summed, where there are several.
struct Conditionals {
    std::size_t n;
    const std::int64_t *first_term, *first_member, *first_cell;
    const std::int32_t* members;
    const std::uint32_t* thresholds;
    const double* log_odds;
};

// `times` rows of every chain into out[variable][time][chain]: the first after burn_in sweeps, the others `thin` sweeps
// apart. One key for each group; the sample does not depend on the number of threads.
void gibbs_sample(const Conditionals& given, const std::uint64_t* keys, std::size_t groups, std::size_t times,
                  std::size_t burn_in, std::size_t thin, unsigned threads, std::uint8_t* out);

}  // namespace graphoid
