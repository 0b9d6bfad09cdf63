// Bit planes: AND, popcount and packing. Part of simd.cpp, within its namespace: compiled once per instruction set.

#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512BW__)

constexpr double kWordsPerRow = 4.0;

using Vector = __m512i;
inline Vector load(const Word* p) { return _mm512_loadu_si512(p); }
inline Vector both(Vector a, Vector b) { return _mm512_and_si512(a, b); }

template <class Next, class One>
inline uint64_t popcount(size_t words, Next next, One) {
    Vector even = _mm512_setzero_si512(), odd = even;
    size_t i = 0;
    for (; i + 16 <= words; i += 16) {
        even = _mm512_add_epi64(even, _mm512_popcnt_epi64(next(i)));
        odd = _mm512_add_epi64(odd, _mm512_popcnt_epi64(next(i + 8)));
    }
    for (; i < words; i += 8) even = _mm512_add_epi64(even, _mm512_popcnt_epi64(next(i)));
    return static_cast<uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(even, odd)));
}
inline void store(Word* p, Vector v) { _mm512_storeu_si512(p, v); }

#elif defined(__AVX2__)

constexpr double kWordsPerRow = 2.0;

using Vector = __m256i;
inline Vector load(const Word* p) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(p)); }
inline Vector both(Vector a, Vector b) { return _mm256_and_si256(a, b); }
inline void store(Word* p, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(p), v); }

// Ones in each 64-bit lane, by looking up nibbles.
inline Vector ones_in_lanes(Vector v) {
    const Vector table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const Vector low = _mm256_set1_epi8(0x0f);
    const Vector a = _mm256_shuffle_epi8(table, both(v, low));
    const Vector b = _mm256_shuffle_epi8(table, both(_mm256_srli_epi16(v, 4), low));
    return _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
}

// Carry-save adder: three bits of equal weight become a sum bit (in `low`) and a carry bit (returned).
inline Vector add3(Vector& low, Vector a, Vector b) {
    const Vector u = _mm256_xor_si256(low, a);
    const Vector carry = _mm256_or_si256(both(low, a), both(u, b));
    low = _mm256_xor_si256(u, b);
    return carry;
}

// Harley and Seal: eight vectors are added up bitwise, and only the carries of weight 8 are looked up. Of every
// 40 words, 8 go to the scalar popcount, whose ports are free meanwhile.
template <class Next, class One>
inline uint64_t popcount(size_t words, Next next, One one) {
    const Vector zero = _mm256_setzero_si256();
    Vector ones = zero, twos = zero, fours = zero, total = zero;
    uint64_t even = 0, odd = 0;
    const size_t blocks = words / 40;
    size_t i = 0, w = 32 * blocks;
    for (; i < 32 * blocks; i += 32, w += 8) {
        const Vector two_a = add3(ones, next(i), next(i + 4));
        const Vector two_b = add3(ones, next(i + 8), next(i + 12));
        const Vector four_a = add3(twos, two_a, two_b);
        for (unsigned k = 0; k < 4; k += 2) {
            even += static_cast<uint64_t>(_mm_popcnt_u64(one(w + k)));
            odd += static_cast<uint64_t>(_mm_popcnt_u64(one(w + k + 1)));
        }
        const Vector two_c = add3(ones, next(i + 16), next(i + 20));
        const Vector two_d = add3(ones, next(i + 24), next(i + 28));
        const Vector four_b = add3(twos, two_c, two_d);
        for (unsigned k = 4; k < 8; k += 2) {
            even += static_cast<uint64_t>(_mm_popcnt_u64(one(w + k)));
            odd += static_cast<uint64_t>(_mm_popcnt_u64(one(w + k + 1)));
        }
        const Vector eight = add3(fours, four_a, four_b);
        total = _mm256_add_epi64(total, ones_in_lanes(eight));
    }
    total = _mm256_slli_epi64(total, 3);
    total = _mm256_add_epi64(total, _mm256_slli_epi64(ones_in_lanes(fours), 2));
    total = _mm256_add_epi64(total, _mm256_slli_epi64(ones_in_lanes(twos), 1));
    total = _mm256_add_epi64(total, ones_in_lanes(ones));
    for (i = 40 * blocks; i < words; i += 4) total = _mm256_add_epi64(total, ones_in_lanes(next(i)));
    const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
    return even + odd + static_cast<uint64_t>(_mm_cvtsi128_si64(half)) + static_cast<uint64_t>(_mm_extract_epi64(half, 1));
}

#else

#if defined(__aarch64__)
constexpr double kWordsPerRow = 1.0;
#else
constexpr double kWordsPerRow = 0.15;  // no popcount instruction to rely on
#endif

using Vector = Word;
inline Vector load(const Word* p) { return *p; }
inline Vector both(Vector a, Vector b) { return a & b; }
inline void store(Word* p, Vector v) { *p = v; }

template <class Next, class One>
inline uint64_t popcount(size_t words, Next next, One) {
    uint64_t total = 0;
    for (size_t i = 0; i < words; ++i) total += static_cast<uint64_t>(__builtin_popcountll(next(i)));
    return total;
}

#endif

inline uint64_t count_and(const Word* a, const Word* b, size_t words) {
    return popcount(words, [=](size_t i) { return both(load(a + i), load(b + i)); }, [=](size_t i) { return a[i] & b[i]; });
}

uint64_t count_and3(const Word* a, const Word* b, const Word* c, size_t words) {
    return popcount(words, [=](size_t i) { return both(both(load(a + i), load(b + i)), load(c + i)); },
                    [=](size_t i) { return a[i] & b[i] & c[i]; });
}

uint64_t and_count(const Word* a, const Word* b, Word* out, size_t words) {
    return popcount(
        words,
        [=](size_t i) {
            const Vector v = both(load(a + i), load(b + i));
            store(out + i, v);
            return v;
        },
        [=](size_t i) { return out[i] = a[i] & b[i]; });
}

void pack(const uint8_t* codes, size_t rows, uint8_t state, Word* plane, size_t words) {
    const size_t full = rows / 64;
    for (size_t w = 0; w < full; ++w) {
        const uint8_t* p = codes + 64 * w;
        Word bits = 0;
#if defined(__AVX2__)
        const __m256i s = _mm256_set1_epi8(static_cast<char>(state));
        const __m256i lo = _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)), s);
        const __m256i hi = _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32)), s);
        bits = static_cast<uint32_t>(_mm256_movemask_epi8(lo)) |
               (static_cast<Word>(static_cast<uint32_t>(_mm256_movemask_epi8(hi))) << 32);
#else
        for (unsigned j = 0; j < 64; ++j) bits |= static_cast<Word>(p[j] == state) << j;
#endif
        plane[w] = bits;
    }
    Word tail = 0;
    for (size_t i = 64 * full; i < rows; ++i) tail |= static_cast<Word>(codes[i] == state) << (i % 64);
    if (full < words) plane[full] = tail;
    for (size_t w = full + 1; w < words; ++w) plane[w] = 0;
}
