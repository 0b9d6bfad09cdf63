// Which set of vector loops runs: the one asked for, else the one that GRAPHOID_SIMD names, else the widest there is.
#include <cstdlib>
#include <cstring>

#include "counting/platform.hpp"
#include "counting/simd.hpp"

namespace graphoid {

extern const Simd simd_plain;
#if defined(GRAPHOID_X86)
extern const Simd simd_avx2;
extern const Simd simd_avx512;
#endif

namespace {

bool is_given(const char* name) { return name != nullptr && *name != '\0'; }

// The set of this name, or the widest where there is no name; null if this processor does not have it.
const Simd* find(const char* name) {
    const bool any = !is_given(name);
#if defined(GRAPHOID_X86)
    static const Processor has = processor();
    if (has.avx512 && (any || std::strcmp(name, "avx512") == 0)) return &simd_avx512;
    if (has.avx2 && (any || std::strcmp(name, "avx2") == 0)) return &simd_avx2;
#endif
    if (any || std::strcmp(name, "plain") == 0) return &simd_plain;
    return nullptr;
}

}  // namespace

const Simd* choose_simd(const char* wanted) {
    if (is_given(wanted)) return find(wanted);
    const Simd* set = find(std::getenv("GRAPHOID_SIMD"));
    return set != nullptr ? set : find(nullptr);
}

}  // namespace graphoid
