// The wide-vector loops, one set for each instruction set. Compiled three times from simd.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace graphoid {

using Word = std::uint64_t;
constexpr std::size_t kLanes = 64;      // variables side by side in a row-major block: one cache line
constexpr std::size_t kWordAlign = 8;   // planes are padded to this many words, one 512-bit vector

struct Simd {
    const char* name;
    // Nanoseconds-free cost model: how many words one AND + popcount step handles in the time in which a
    // histogram takes one row. Decides between bit planes and histograms.
    double words_per_row;

    std::uint64_t (*count_and)(const Word* a, const Word* b, std::size_t words);
    std::uint64_t (*count_and3)(const Word* a, const Word* b, const Word* c, std::size_t words);
    // out = a & b; returns the number of ones in it.
    std::uint64_t (*and_count)(const Word* a, const Word* b, Word* out, std::size_t words);
    // plane bit i = (codes[i] == state); bits from `rows` on are zero.
    void (*pack)(const std::uint8_t* codes, std::size_t rows, std::uint8_t state, Word* plane, std::size_t words);

    // code[i] = code[i] * radix + column[i]
    void (*mix16)(std::uint16_t* code, const std::uint8_t* column, std::uint16_t radix, std::size_t n);
    void (*mix32)(std::uint32_t* code, const std::uint8_t* column, std::uint32_t radix, std::size_t n);
    // code[i] = (slice[i] * rx + x[i]) * ry + y[i]; slice may be null (all rows in slice 0)
    void (*cell16)(std::uint16_t* code, const std::uint16_t* slice, const std::uint8_t* x, const std::uint8_t* y,
                   std::uint16_t rx, std::uint16_t ry, std::size_t n);
    void (*cell32)(std::uint32_t* code, const std::uint32_t* slice, const std::uint8_t* x, const std::uint8_t* y,
                   std::uint32_t rx, std::uint32_t ry, std::size_t n);

    // For n rows of a row-major block of kLanes variables, counts[s * kLanes + lane] += rows with state s,
    // for s < states (the caller gets the last state by subtraction).
    void (*tally)(const std::uint8_t* block, const std::uint32_t* rows, std::size_t n, unsigned states,
                  std::uint32_t* counts);
};

// The widest set this processor has; `wanted` ("plain", "avx2", "avx512") asks for less. Null if unknown.
const Simd* choose_simd(const char* wanted);

}  // namespace graphoid
