// Vector loops on plain buffers. CMake compiles this file once per instruction set with GRAPHOID_SIMD set to
// its name; no STL templates here, because the linker would keep only one of their three versions.
#include "counting/simd.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace graphoid {
namespace {

// The loops themselves, a subject a file.
#include "counting/simd_planes.hpp"
#include "counting/simd_codes.hpp"
#include "counting/simd_tally.hpp"
#include "counting/simd_chi_square.hpp"
#include "counting/simd_columns.hpp"
#include "counting/simd_graphs.hpp"

}  // namespace

#define GRAPHOID_JOIN2(a, b) a##b
#define GRAPHOID_JOIN(a, b) GRAPHOID_JOIN2(a, b)
#define GRAPHOID_TEXT2(a) #a
#define GRAPHOID_TEXT(a) GRAPHOID_TEXT2(a)

extern const Simd GRAPHOID_JOIN(simd_, GRAPHOID_SIMD);
const Simd GRAPHOID_JOIN(simd_, GRAPHOID_SIMD) = {
    GRAPHOID_TEXT(GRAPHOID_SIMD), kWordsPerRow, count_and, count_and3, and_count, pack, mix16, mix32,
    tabulate, cell16, cell32, tally, add_lanes, chi_slices, add_where, sum_where, logistic, binomial,
    multinomial, combine, products, along, search,
};

}  // namespace graphoid
