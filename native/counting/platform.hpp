// What differs between compilers, processors and systems. Kernels use vector types and builtins that gcc and clang share
// (clang-cl on Windows); everything else is C++17.
#pragma once

#include <cstddef>

#if !defined(__GNUC__) && !defined(__clang__)
#error "graphoid's kernels need gcc or clang; on Windows clang-cl: set CMAKE_GENERATOR_TOOLSET=ClangCL"
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace graphoid {

// Vector sets that both the processor has and the system saves when it changes tasks.
struct Processor {
    bool avx2 = false;    // with BMI2 and POPCNT
    bool avx512 = false;  // F, BW, VL and VPOPCNTDQ
};

// From CPUID itself: __builtin_cpu_supports needs a library that is not linked on Windows.
inline Processor processor() {
    Processor found;
#if defined(__x86_64__)
    const auto has = [](unsigned set, int bit) { return (set >> bit & 1u) != 0; };
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
    const bool popcnt = has(c, 23), xsave = has(c, 27);  // xsave: XGETBV may be used
    if (!xsave || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    unsigned saved = 0, high = 0;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    const bool ymm = (saved & 0x06u) == 0x06u, zmm = (saved & 0xe6u) == 0xe6u;
    found.avx2 = ymm && popcnt && has(b, 5) && has(b, 8);
    found.avx512 = found.avx2 && zmm && has(b, 16) && has(b, 30) && has(b, 31) && has(c, 14);
#endif
    return found;
}

// Bytes of memory that the machine has.
inline double physical_memory() {
#if defined(_WIN32)
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) ? static_cast<double>(status.ullTotalPhys) : 1e12;
#else
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
#endif
}

}  // namespace graphoid
