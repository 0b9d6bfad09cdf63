// Sets of at most 64 variables, one word each, as Python hands them over.
#pragma once

#include <cstddef>

#include "graphs/separation.hpp"

namespace graphoid {

// Whether sets name variables below n alone.
inline bool all_within(const Word* sets, std::size_t count, std::size_t n) {
    Word any = 0;
    for (std::size_t i = 0; i < count; ++i) any |= sets[i];
    return n >= 64 || any >> n == 0;
}

}  // namespace graphoid
