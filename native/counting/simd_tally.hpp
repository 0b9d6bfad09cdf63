// States of many variables side by side, counted in bytes. Part of simd.cpp, within its namespace: compiled once per instruction set.

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
