// How strongly two variables go together within slices, in every resample: uncertainty/association.py, which says what
// this must do.
#pragma once
#include <vector>

#include "counting/resamples.hpp"

namespace graphoid {

struct Strength {
    double bits, bias;  // conditional mutual information, and what of it is due to chance
    double log_odds;    // pooled over slices; not a number unless both have two states and it is defined
};

// For every crossing one for each resample.
std::vector<Strength> strengths(Resamples& data, const std::vector<Crossing>& crossings);

}  // namespace graphoid
