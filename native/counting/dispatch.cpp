// Which set of vector loops runs: the widest this processor has, or the narrower one asked for.
#include <cstring>

#include "counting/simd.hpp"

namespace graphoid {

extern const Simd simd_plain;
#if defined(GRAPHOID_X86)
extern const Simd simd_avx2;
extern const Simd simd_avx512;
#endif

const Simd* choose_simd(const char* wanted) {
    const bool any = wanted == nullptr || *wanted == '\0';
#if defined(GRAPHOID_X86)
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
    if (avx512 && (any || std::strcmp(wanted, "avx512") == 0)) return &simd_avx512;
    if (__builtin_cpu_supports("avx2") && (any || std::strcmp(wanted, "avx2") == 0)) return &simd_avx2;
#endif
    if (any || std::strcmp(wanted, "plain") == 0) return &simd_plain;
    return nullptr;
}

}  // namespace graphoid
