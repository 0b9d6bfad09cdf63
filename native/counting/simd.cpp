// Vector loops on plain buffers. CMake compiles this file once per instruction set with GRAPHOID_SIMD set to
// its name; no STL templates here, because the linker would keep only one of their three versions.
#include "counting/simd.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace graphoid {
namespace {

using std::int64_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

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

void count_and_each(const Word* a, const Word* const* others, size_t n, size_t words, const Word* soon, uint32_t* out) {
    for (size_t w = 0; soon != nullptr && w < words; w += 8) __builtin_prefetch(soon + w);
    for (size_t k = 0; k < n; ++k) {
        const Word* b = others[k];
        out[k] = static_cast<uint32_t>(count_and(a, b, words));
    }
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

constexpr unsigned kMaxTallied = 8;      // states counted in registers at once
constexpr size_t kBeforeOverflow = 255;  // rows a one-byte counter can take

#if defined(__AVX512BW__)
constexpr size_t kBytes = 64;
using Bytes = __m512i;
inline Bytes bytes_zero() { return _mm512_setzero_si512(); }
inline Bytes bytes_load(const uint8_t* p) { return _mm512_loadu_si512(p); }
inline Bytes bytes_state(unsigned s) { return _mm512_set1_epi8(static_cast<char>(s)); }
inline Bytes bytes_tally(Bytes sum, Bytes codes, Bytes state) {
    return _mm512_mask_sub_epi8(sum, _mm512_cmpeq_epi8_mask(codes, state), sum, _mm512_set1_epi8(-1));
}
inline void bytes_store(uint8_t* p, Bytes v) { _mm512_storeu_si512(p, v); }
#elif defined(__AVX2__)
constexpr size_t kBytes = 32;
using Bytes = __m256i;
inline Bytes bytes_zero() { return _mm256_setzero_si256(); }
inline Bytes bytes_load(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const Bytes*>(p)); }
inline Bytes bytes_state(unsigned s) { return _mm256_set1_epi8(static_cast<char>(s)); }
inline Bytes bytes_tally(Bytes sum, Bytes codes, Bytes state) {
    return _mm256_sub_epi8(sum, _mm256_cmpeq_epi8(codes, state));
}
inline void bytes_store(uint8_t* p, Bytes v) { _mm256_storeu_si256(reinterpret_cast<Bytes*>(p), v); }
#else
constexpr size_t kBytes = 8;
using Bytes = uint64_t;
constexpr uint64_t kOnes = 0x0101010101010101u;
inline Bytes bytes_zero() { return 0; }
inline Bytes bytes_load(const uint8_t* p) {
    Bytes v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline Bytes bytes_state(unsigned s) { return s * kOnes; }
// A byte of `difference` is zero where code and state agree; the usual trick turns that into a 1 in that byte.
inline Bytes bytes_tally(Bytes sum, Bytes codes, Bytes state) {
    const Bytes difference = codes ^ state;
    const Bytes low = difference & (0x7fu * kOnes);
    return sum + ((~((low + 0x7fu * kOnes) | difference) >> 7) & kOnes);
}
inline void bytes_store(uint8_t* p, Bytes v) { __builtin_memcpy(p, &v, sizeof v); }
#endif

template <unsigned States>
void tally_states(const uint8_t* block, const uint32_t* rows, size_t n, unsigned first, uint32_t* counts) {
    constexpr size_t parts = kLanes / kBytes;
    constexpr size_t at_once = parts < 2 ? parts : 2;  // what fits into the registers
    uint8_t narrow[kBytes];
    for (size_t part = 0; part < parts; part += at_once) {
        const uint8_t* base = block + part * kBytes;
        for (size_t start = 0; start < n; start += kBeforeOverflow) {
            const size_t stop = n - start < kBeforeOverflow ? n : start + kBeforeOverflow;
            Bytes sums[at_once][States];
            for (size_t p = 0; p < at_once; ++p)
                for (unsigned s = 0; s < States; ++s) sums[p][s] = bytes_zero();
            for (size_t i = start; i < stop; ++i) {
                const uint8_t* row = base + static_cast<size_t>(rows[i]) * kLanes;
                __builtin_prefetch(base + static_cast<size_t>(rows[i + 12 < n ? i + 12 : i]) * kLanes);
                for (size_t p = 0; p < at_once; ++p) {
                    const Bytes codes = bytes_load(row + p * kBytes);
                    for (unsigned s = 0; s < States; ++s)
                        sums[p][s] = bytes_tally(sums[p][s], codes, bytes_state(first + s));
                }
            }
            for (size_t p = 0; p < at_once; ++p)
                for (unsigned s = 0; s < States; ++s) {
                    bytes_store(narrow, sums[p][s]);
                    uint32_t* out = counts + (first + s) * kLanes + (part + p) * kBytes;
                    for (size_t lane = 0; lane < kBytes; ++lane) out[lane] += narrow[lane];
                }
        }
    }
}

void tally(const uint8_t* block, const uint32_t* rows, size_t n, unsigned states, uint32_t* counts) {
    for (unsigned first = 0; first < states; first += kMaxTallied) {
        const unsigned now = states - first < kMaxTallied ? states - first : kMaxTallied;
        switch (now) {
            case 1: tally_states<1>(block, rows, n, first, counts); break;
            case 2: tally_states<2>(block, rows, n, first, counts); break;
            case 3: tally_states<3>(block, rows, n, first, counts); break;
            case 4: tally_states<4>(block, rows, n, first, counts); break;
            case 5: tally_states<5>(block, rows, n, first, counts); break;
            case 6: tally_states<6>(block, rows, n, first, counts); break;
            case 7: tally_states<7>(block, rows, n, first, counts); break;
            default: tally_states<8>(block, rows, n, first, counts); break;
        }
    }
}

// Four numbers side by side; the compiler maps them to what the instruction set has. All sums are written out,
// so that every instruction set gives the same bits.
typedef double Four __attribute__((vector_size(32)));
typedef std::int32_t FourInts __attribute__((vector_size(16)));
typedef std::int64_t FourFlags __attribute__((vector_size(32)));

constexpr Four kZero = {0, 0, 0, 0}, kOne = {1, 1, 1, 1};
inline Four where(FourFlags flags, Four yes, Four no) { return flags ? yes : no; }

// sum (c n - r k)^2 / (r k) / n of four slices side by side: the differences are whole numbers and cancel
// without loss. Empty rows, columns and slices weigh nothing.
template <unsigned RX, unsigned RY, bool Dof>
void chi_slices_of(const uint32_t* cells, size_t slices, ChiSum* sum) {
    constexpr size_t size = RX * RY;
    Four high = kZero, low = kZero, dof = kZero, occur = kZero;
    uint32_t padded[4 * size];
    for (size_t s = 0; s < slices; s += 4, cells += 4 * size) {
        const uint32_t* p = cells;
        if (slices - s < 4) {  // the last few, with empty ones behind them
            for (size_t c = 0; c < 4 * size; ++c) padded[c] = c < (slices - s) * size ? cells[c] : 0;
            p = padded;
        }
        Four count[RX][RY], r[RX], k[RY];
        for (unsigned i = 0; i < RX; ++i) {
            r[i] = kZero;
            for (unsigned j = 0; j < RY; ++j) {
                const uint32_t* cell = p + i * RY + j;
                const FourInts four = {static_cast<std::int32_t>(cell[0]), static_cast<std::int32_t>(cell[size]),
                                       static_cast<std::int32_t>(cell[2 * size]), static_cast<std::int32_t>(cell[3 * size])};
                count[i][j] = __builtin_convertvector(four, Four);
                r[i] += count[i][j];
                k[j] = i == 0 ? count[i][j] : k[j] + count[i][j];
            }
        }
        Four n = r[0];
        for (unsigned i = 1; i < RX; ++i) n += r[i];
        const FourFlags some = n > kZero;
        occur += where(some, kOne, kZero);
        if (Dof) {
            Four rows = kZero - kOne, columns = rows;
            for (const Four& v : r) rows += where(v > kZero, kOne, kZero);
            for (const Four& v : k) columns += where(v > kZero, kOne, kZero);
            dof += where(some, rows * columns, kZero);
        }
        Four weight[RY];
        for (unsigned j = 0; j < RY; ++j) weight[j] = where(k[j] > kZero, kOne / where(k[j] > kZero, k[j], kOne), kZero);
        Four total = kZero;
        for (unsigned i = 0; i < RX; ++i) {
            Four row = kZero;
            for (unsigned j = 0; j < RY; ++j) {
                const Four difference = count[i][j] * n - r[i] * k[j];
                row += difference * difference * weight[j];
            }
            total += row / where(r[i] > kZero, r[i], kOne);  // an empty row has no differences
        }
        const Four value = total / where(some, n, kOne);
        const Four next = high + value, part = next - high;  // two-sum
        low += (high - (next - part)) + (value - part);
        high = next;
    }
    for (unsigned lane = 0; lane < 4; ++lane) {
        const double next = sum->high + high[lane], part = next - sum->high;
        sum->low += (sum->high - (next - part)) + (high[lane] - part) + low[lane];
        sum->high = next;
        sum->dof += dof[lane];
        sum->slices += static_cast<size_t>(occur[lane]);
    }
}

template <bool Dof>
void chi_slices_with(const uint32_t* cells, size_t slices, unsigned rx, unsigned ry, ChiSum* sum) {
    switch (4 * rx + ry) {
        case 10: chi_slices_of<2, 2, Dof>(cells, slices, sum); break;
        case 11: chi_slices_of<2, 3, Dof>(cells, slices, sum); break;
        case 12: chi_slices_of<2, 4, Dof>(cells, slices, sum); break;
        case 14: chi_slices_of<3, 2, Dof>(cells, slices, sum); break;
        case 15: chi_slices_of<3, 3, Dof>(cells, slices, sum); break;
        case 16: chi_slices_of<3, 4, Dof>(cells, slices, sum); break;
        case 18: chi_slices_of<4, 2, Dof>(cells, slices, sum); break;
        case 19: chi_slices_of<4, 3, Dof>(cells, slices, sum); break;
        default: chi_slices_of<4, 4, Dof>(cells, slices, sum); break;
    }
}

void chi_slices(const uint32_t* cells, size_t slices, unsigned rx, unsigned ry, bool dof, ChiSum* sum) {
    if (dof)
        chi_slices_with<true>(cells, slices, rx, ry, sum);
    else
        chi_slices_with<false>(cells, slices, rx, ry, sum);
}

#include "counting/simd_columns.hpp"
#include "counting/simd_graphs.hpp"

}  // namespace

#define GRAPHOID_JOIN2(a, b) a##b
#define GRAPHOID_JOIN(a, b) GRAPHOID_JOIN2(a, b)
#define GRAPHOID_TEXT2(a) #a
#define GRAPHOID_TEXT(a) GRAPHOID_TEXT2(a)

extern const Simd GRAPHOID_JOIN(simd_, GRAPHOID_SIMD);
const Simd GRAPHOID_JOIN(simd_, GRAPHOID_SIMD) = {
    GRAPHOID_TEXT(GRAPHOID_SIMD), kWordsPerRow, count_and, count_and3, count_and_each, and_count, pack, mix16, mix32,
    tabulate, cell16, cell32, tally, add_lanes, chi_slices, add_where, sum_where, logistic, binomial,
    combine, products, search,
};

}  // namespace graphoid
