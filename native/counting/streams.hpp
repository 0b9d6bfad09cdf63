// Random words that are counted, not carried along: word c of a key is SplitMix64's mixing of key + (c + 1) gamma.
#pragma once
#include <cstddef>
#include <cstdint>

namespace graphoid {

constexpr std::size_t stream_lanes = 64;               // chains that share a stream
constexpr std::size_t stream_words = stream_lanes / 2;  // of a stream, for one number for each of its chains

inline std::uint64_t stream_word(std::uint64_t key, std::uint64_t counter) {
    std::uint64_t z = key + (counter + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// The same as a number in [0, 1), by its upper 53 bits.
inline double stream_uniform(std::uint64_t key, std::uint64_t counter) {
    return static_cast<double>(stream_word(key, counter) >> 11) * 0x1p-53;
}

// A number below 2^32 for each chain: chain 2j gets the lower, chain 2j + 1 the upper half of the j-th word.
inline void stream_numbers(std::uint64_t key, std::uint64_t counter, std::uint32_t* u) {
    for (std::size_t j = 0; j < stream_words; ++j) {
        const std::uint64_t w = stream_word(key, counter + j);
        u[2 * j] = static_cast<std::uint32_t>(w);
        u[2 * j + 1] = static_cast<std::uint32_t>(w >> 32);
    }
}

}  // namespace graphoid
