// Random numbers that are counted, not carried along: SplitMix64.
#pragma once
#include <cstdint>

namespace graphoid {

// Word `counter` of the stream of a key.
inline std::uint64_t word(std::uint64_t key, std::uint64_t counter) {
    std::uint64_t z = key + (counter + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// The same as a number in [0, 1), by its upper 53 bits.
inline double uniform(std::uint64_t key, std::uint64_t counter) {
    return static_cast<double>(word(key, counter) >> 11) * 0x1p-53;
}

}  // namespace graphoid
