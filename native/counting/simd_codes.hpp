// Codes of cells, and histograms of them. Part of simd.cpp, within its namespace: compiled once per instruction set.

// Each of these is a small function of its own: inlined into larger ones, gcc 12 leaves them scalar.
__attribute__((noinline)) void mix16(uint16_t* __restrict code, const uint8_t* __restrict column, uint16_t radix,
                                     size_t n) {
    for (size_t i = 0; i < n; ++i) code[i] = static_cast<uint16_t>(code[i] * radix + column[i]);
}

__attribute__((noinline)) void mix32(uint32_t* __restrict code, const uint8_t* __restrict column, uint32_t radix,
                                     size_t n) {
    for (size_t i = 0; i < n; ++i) code[i] = code[i] * radix + column[i];
}

// A row's weights are added to the counts of its cell in one small loop over whole vectors.
__attribute__((noinline)) void add_lanes(const uint8_t* __restrict weights, size_t stride, const uint16_t* __restrict code,
                                         size_t n, size_t lanes, uint16_t* __restrict counts) {
    for (size_t i = 0; i < n; ++i) {
        const uint8_t* __restrict from = weights + i * stride;
        uint16_t* __restrict to = counts + code[i] * lanes;
        for (size_t k = 0; k < lanes; k += 16)
            for (size_t j = 0; j < 16; ++j) to[k + j] = static_cast<uint16_t>(to[k + j] + from[k + j]);
    }
}

inline void add4(const uint16_t* code, uint32_t* h0, uint32_t* h1, uint32_t* h2, uint32_t* h3) {
    uint64_t u;
    __builtin_memcpy(&u, code, sizeof u);  // four codes in one load: the ports are busy enough
    ++h0[u & 0xffff];
    ++h1[(u >> 16) & 0xffff];
    ++h2[(u >> 32) & 0xffff];
    ++h3[u >> 48];
}

#if defined(__AVX2__)

// Codes are made 64 at a time between the increments, which wait for the store port anyway. Rows change places
// within their 32, alike for all columns: it is only counts that are wanted. Pairs = 0: as many as n_pairs says.
template <size_t Pairs>
__attribute__((noinline)) size_t tabulate_pairs(const Simd::Pair* pairs, size_t n_pairs, size_t n, uint32_t* h, size_t stride) {
    const size_t count = Pairs > 0 ? Pairs : n_pairs;
    size_t i = 0;
    uint32_t *h0 = h, *h1 = h + stride, *h2 = h + 2 * stride, *h3 = h + 3 * stride;
    alignas(64) uint16_t codes[2][64];
    unsigned turn = 0;
    const auto make = [&](size_t at, uint16_t* out) {
        __m256i low = _mm256_setzero_si256(), high = low;
#pragma GCC unroll 6
        for (size_t p = 0; p < count; ++p) {
            const Simd::Pair& pair = pairs[p];
            const __m256i weights = _mm256_set1_epi16(static_cast<short>(pair.rb | 0x100));  // bytes (rb, 1)
            const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair.a + at));
            const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair.b + at));
            const __m256i next_low = _mm256_maddubs_epi16(_mm256_unpacklo_epi8(a, b), weights);
            const __m256i next_high = _mm256_maddubs_epi16(_mm256_unpackhi_epi8(a, b), weights);
            if (p == 0) {
                low = next_low;
                high = next_high;
            } else {
                const __m256i radix = _mm256_set1_epi16(static_cast<short>(pair.radix));
                low = _mm256_add_epi16(_mm256_mullo_epi16(low, radix), next_low);
                high = _mm256_add_epi16(_mm256_mullo_epi16(high, radix), next_high);
            }
        }
        _mm256_store_si256(reinterpret_cast<__m256i*>(out), low);
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + 16), high);
    };
    const auto make_two = [&](size_t at, uint16_t* out) {
        make(at, out);
        make(at + 32, out + 32);
    };
    if (n >= 64) make_two(0, codes[0]);
    for (; i + 64 <= n; i += 64, turn ^= 1) {
        if (i + 128 <= n) make_two(i + 64, codes[turn ^ 1]);
        const uint16_t* code = codes[turn];
#pragma GCC unroll 16
        for (unsigned k = 0; k < 64; k += 4) add4(code + k, h0, h1, h2, h3);
    }
    return i;
}

size_t tabulate_most(const Simd::Pair* pairs, size_t n_pairs, size_t n, uint32_t* h, size_t stride) {
    switch (n_pairs) {
        case 1: return tabulate_pairs<1>(pairs, n_pairs, n, h, stride);
        case 2: return tabulate_pairs<2>(pairs, n_pairs, n, h, stride);
        case 3: return tabulate_pairs<3>(pairs, n_pairs, n, h, stride);
        case 4: return tabulate_pairs<4>(pairs, n_pairs, n, h, stride);
        case 5: return tabulate_pairs<5>(pairs, n_pairs, n, h, stride);
        case 6: return tabulate_pairs<6>(pairs, n_pairs, n, h, stride);
        default: return tabulate_pairs<0>(pairs, n_pairs, n, h, stride);
    }
}

#else

__attribute__((noinline)) void mix_pair(uint16_t* __restrict code, const uint8_t* __restrict a, const uint8_t* __restrict b,
                                        uint16_t radix, uint16_t rb, size_t n) {
    for (size_t i = 0; i < n; ++i) code[i] = static_cast<uint16_t>(code[i] * radix + a[i] * rb + b[i]);
}

// A chunk of codes at a time, pair by pair: loops that any compiler turns into vectors.
size_t tabulate_most(const Simd::Pair* pairs, size_t n_pairs, size_t n, uint32_t* h, size_t stride) {
    constexpr size_t chunk = 2048;
    uint16_t code[chunk];
    size_t i = 0;
    for (; i + chunk <= n; i += chunk) {
        __builtin_memset(code, 0, sizeof code);
        for (size_t p = 0; p < n_pairs; ++p) mix_pair(code, pairs[p].a + i, pairs[p].b + i, pairs[p].radix, pairs[p].rb, chunk);
        for (size_t k = 0; k < chunk; k += 4) add4(code + k, h, h + stride, h + 2 * stride, h + 3 * stride);
    }
    return i;
}

#endif

void tabulate(const Simd::Pair* pairs, size_t n_pairs, size_t n, uint32_t* h, size_t stride) {
    for (size_t i = tabulate_most(pairs, n_pairs, n, h, stride); i < n; ++i) {  // what is left of the rows
        uint32_t c = 0;
        for (size_t p = 0; p < n_pairs; ++p) c = c * pairs[p].radix + pairs[p].a[i] * pairs[p].rb + pairs[p].b[i];
        ++h[(i % 4) * stride + c];
    }
}

__attribute__((noinline)) void cell16(uint16_t* __restrict code, const uint16_t* __restrict slice,
                                      const uint8_t* __restrict x, const uint8_t* __restrict y, uint16_t rx,
                                      uint16_t ry, size_t n) {
    if (slice == nullptr) {
        for (size_t i = 0; i < n; ++i) code[i] = static_cast<uint16_t>(x[i] * ry + y[i]);
        return;
    }
    const auto rxy = static_cast<uint16_t>(rx * ry);
    for (size_t i = 0; i < n; ++i) code[i] = static_cast<uint16_t>(slice[i] * rxy + x[i] * ry + y[i]);
}

__attribute__((noinline)) void cell32(uint32_t* __restrict code, const uint32_t* __restrict slice,
                                      const uint8_t* __restrict x, const uint8_t* __restrict y, uint32_t rx,
                                      uint32_t ry, size_t n) {
    if (slice == nullptr) {
        for (size_t i = 0; i < n; ++i) code[i] = x[i] * ry + y[i];
        return;
    }
    const uint32_t rxy = rx * ry;
    for (size_t i = 0; i < n; ++i) code[i] = slice[i] * rxy + x[i] * ry + y[i];
}
