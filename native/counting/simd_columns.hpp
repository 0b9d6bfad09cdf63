// Loops over columns of doubles, as fitting models needs them. A part of simd.cpp: inside its namespace, compiled once per
// instruction set.

// Eight numbers side by side, whatever the width of the registers: so sums are added up in the same order everywhere.
typedef double Eight __attribute__((vector_size(64)));
typedef int64_t EightInts __attribute__((vector_size(64)));

inline Eight eight(const double* from) {
    Eight v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
inline Eight eight(double value) { return Eight{} + value; }
inline void put(const Eight& v, double* to) { __builtin_memcpy(to, &v, sizeof v); }
inline double total(const Eight& v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

// A byte of a mask as eight factors of 0 or 1.
struct Factors {
    double of[256][8];
    constexpr Factors() : of() {
        for (unsigned byte = 0; byte < 256; ++byte)
            for (unsigned bit = 0; bit < 8; ++bit) of[byte][bit] = byte >> bit & 1;
    }
};
constexpr Factors kFactors;
constexpr int kFewBits = 10;  // of a word's 64: taken one by one

void add_where(const Word* mask, size_t words, double value, double* values) {
    const Eight all = eight(value);
    for (size_t w = 0; w < words; ++w, values += 64) {
        Word bits = mask[w];
        if (__builtin_popcountll(bits) <= kFewBits) {
            for (; bits; bits &= bits - 1) values[__builtin_ctzll(bits)] += value;
            continue;
        }
        for (size_t i = 0; i < 64; i += 8, bits >>= 8) put(eight(values + i) + all * eight(kFactors.of[bits & 255]), values + i);
    }
}

double sum_where(const Word* mask, size_t words, const double* values) {
    Eight even = {}, odd = {};
    double few = 0;
    for (size_t w = 0; w < words; ++w, values += 64) {
        Word bits = mask[w];
        if (__builtin_popcountll(bits) <= kFewBits) {
            for (; bits; bits &= bits - 1) few += values[__builtin_ctzll(bits)];
            continue;
        }
        for (size_t i = 0; i < 64; i += 16, bits >>= 16) {
            even += eight(values + i) * eight(kFactors.of[bits & 255]);
            odd += eight(values + i + 8) * eight(kFactors.of[bits >> 8 & 255]);
        }
    }
    return few + total(even + odd);
}

// exp(-a) for 0 <= a, to the last digit or two: exp(r) 2^-k with |r| <= log(2) / 2, by the Taylor polynomial.
inline Eight exp_minus(const Eight& a) {
    constexpr double whole = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole numbers
    constexpr double log2e = 1.4426950408889634, high = 0.693147180369123816490, low = 1.90821492927058770002e-10;
    constexpr double inverse_factorials[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                                             1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                                             1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        0.5,
                                             1.0,                1.0};
    const Eight capped = a < 700.0 ? a : eight(700.0);
    const Eight shifted = capped * log2e + whole, k = shifted - whole;
    const Eight r = k * low - (capped - k * high);
    Eight p = {};
    for (double c : inverse_factorials) p = p * r + c;
    EightInts bits;
    __builtin_memcpy(&bits, &shifted, sizeof bits);
    bits = (1023 - bits) << 52;  // the low bits of `shifted` are k
    Eight scale;
    __builtin_memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

// log(1 + e) for 0 <= e <= 1: 2 artanh(s) with s = e / (2 + e) <= 1/3, by its series.
inline Eight log_1_plus(const Eight& e) {
    const Eight s = e / (2 + e), q = s * s;
    Eight p = {};
    for (int k = 33; k > 0; k -= 2) p = p * q + 1.0 / k;
    return 2 * s * p;
}

double logistic(const double* logits, const double* moves, const Word* y, const double* weights, size_t words,
                double* residuals) {
    Eight sum = {};
    for (size_t i = 0; i < words * 64; i += 8) {
        const Eight observed = eight(kFactors.of[y[i / 64] >> i % 64 & 255]), weight = eight(weights + i), z = eight(logits + i);
        const Eight zero = {}, e = exp_minus(z < 0 ? -z : z), inverse = 1 / (1 + e);
        const Eight p = z < 0 ? e * inverse : inverse;
        sum += weight * (observed * z - (z < 0 ? zero : z) - log_1_plus(e));
        put(moves == nullptr ? weight * (observed - p) : -weight * (e * inverse * inverse) * eight(moves + i), residuals + i);
    }
    return total(sum);
}

double binomial(const double* logits, const double* ones, const double* totals, size_t n, double* residuals, double* spreads) {
    Eight sum = {};
    for (size_t i = 0; i < n; i += 8) {
        const Eight observed = eight(ones + i), weight = eight(totals + i), z = eight(logits + i);
        const Eight zero = {}, e = exp_minus(z < 0 ? -z : z), inverse = 1 / (1 + e);
        const Eight p = z < 0 ? e * inverse : inverse;
        sum += observed * z - weight * ((z < 0 ? zero : z) + log_1_plus(e));
        put(observed - weight * p, residuals + i);
        put(weight * (e * inverse * inverse), spreads + i);
    }
    return total(sum);
}

// log(z) for 1 <= z: k log(2) + 2 artanh(s) with z = 2^k f, s = (f - 1) / (f + 1), |s| <= .172.
inline Eight log_above_1(const Eight& z) {
    EightInts bits;
    __builtin_memcpy(&bits, &z, sizeof bits);
    const EightInts k = (bits - 0x3FE6A09E667F3BCD) >> 52;  // so that f is from the root of a half to that of 2
    bits -= k << 52;
    Eight f;
    __builtin_memcpy(&f, &bits, sizeof f);
    const Eight s = (f - 1) / (f + 1), q = s * s;
    Eight p = {};
    for (int i = 21; i > 0; i -= 2) p = p * q + 1.0 / i;
    return __builtin_convertvector(k, Eight) * 0.6931471805599453 + 2 * s * p;
}

// States R, if they are few: all numbers of eight configurations then stay in registers.
template <size_t R>
double multinomial_states(const Simd::Multinomial& model, const double* predictors, size_t n, double* residuals, double* curvatures) {
    const size_t r = R > 0 ? R : model.states, m = r - 1;
    Eight own[R > 0 ? R * (R + 5) / 2 : 1], *work = R > 0 ? own : reinterpret_cast<Eight*>(model.work);
    Eight *p = work, *mean = p + r, *left = mean + m, *spread = left + m, sum = {};
    for (size_t i = 0; i < n; i += 8) {
        const Eight weight = eight(model.totals + i);
        Eight most = eight(-1e300), z = {};
        for (size_t s = 0; s < r; ++s) {
            p[s] = Eight{};
            for (size_t a = 0; a < m; ++a) p[s] += model.code[s * m + a] * eight(predictors + a * n + i);
            most = p[s] > most ? p[s] : most;
        }
        for (size_t s = 0; s < r; ++s) {
            sum += eight(model.counts + s * n + i) * (p[s] - most);
            z += p[s] = exp_minus(most - p[s]);
        }
        sum -= weight * log_above_1(z);
        const Eight inverse = 1 / z;
        for (size_t a = 0; a < m; ++a) left[a] = mean[a] = Eight{};
        for (size_t a = 0; a < m * (m + 1) / 2; ++a) spread[a] = Eight{};
        for (size_t s = 0; s < r; ++s) {
            p[s] *= inverse;
            for (size_t a = 0; a < m; ++a) mean[a] += p[s] * model.code[s * m + a];
        }
        for (size_t s = 0; s < r; ++s) {
            const Eight expected = weight * p[s], beyond = eight(model.counts + s * n + i) - expected;
            for (size_t a = 0, at = 0; a < m; ++a) {
                left[a] += beyond * model.code[s * m + a];
                const Eight mine = expected * (model.code[s * m + a] - mean[a]);
                for (size_t b = 0; b <= a; ++b) spread[at++] += mine * (model.code[s * m + b] - mean[b]);
            }
        }
        for (size_t a = 0; a < m; ++a) put(left[a], residuals + a * n + i);
        for (size_t a = 0; a < m * (m + 1) / 2; ++a) put(spread[a], curvatures + a * n + i);
    }
    return total(sum);
}

double multinomial(const Simd::Multinomial& model, const double* predictors, size_t n, double* residuals, double* curvatures) {
    switch (model.states) {
        case 3: return multinomial_states<3>(model, predictors, n, residuals, curvatures);
        case 4: return multinomial_states<4>(model, predictors, n, residuals, curvatures);
        case 5: return multinomial_states<5>(model, predictors, n, residuals, curvatures);
        default: return multinomial_states<0>(model, predictors, n, residuals, curvatures);
    }
}

inline Four four(const double* from) {
    Four v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

void combine(const double* const* columns, size_t k, const double* weights, size_t n, double* out) {
    for (size_t c = 0; c < n; c += 8) {
        Four low = kZero, high = kZero;
        for (size_t i = 0; i < k; ++i) {
            low += weights[i] * four(columns[i] + c);
            high += weights[i] * four(columns[i] + c + 4);
        }
        __builtin_memcpy(out + c, &low, sizeof low);
        __builtin_memcpy(out + c + 4, &high, sizeof high);
    }
}

constexpr size_t kTile = 256;  // rows of the columns that are multiplied together: few enough to stay near

// A block of L by R sums, which all stay in registers.
template <unsigned L, unsigned R>
inline void product_block(const double (*left)[kTile], const double* const* right, size_t first, size_t n, double* out, size_t stride) {
    Four sums[L][R] = {};
    for (size_t c = 0; c < n; c += 4) {
        Four theirs[R];
        for (unsigned j = 0; j < R; ++j) theirs[j] = four(right[j] + first + c);
        for (unsigned i = 0; i < L; ++i) {
            const Four mine = four(left[i] + c);
            for (unsigned j = 0; j < R; ++j) sums[i][j] += mine * theirs[j];
        }
    }
    for (unsigned i = 0; i < L; ++i)
        for (unsigned j = 0; j < R; ++j)
            out[i * stride + j] += (sums[i][j][0] + sums[i][j][2]) + (sums[i][j][1] + sums[i][j][3]);
}

inline double dot(const double* a, const double* b, size_t n) {
    Eight sum = {};
    for (size_t c = 0; c < n; c += 8) sum += eight(a + c) * eight(b + c);
    return total(sum);
}

template <unsigned L, unsigned R>
inline void product_rows(const double* weights, const double* const* left, const double* const* right, size_t n_right, size_t n,
                         double* out, size_t stride) {
    double weighted[L][kTile];
    for (size_t first = 0; first < n; first += kTile) {
        const size_t rows = n - first < kTile ? n - first : kTile;
        for (unsigned i = 0; i < L; ++i)
            for (size_t c = 0; c < rows; ++c) weighted[i][c] = weights[first + c] * left[i][first + c];
        size_t j = 0;
        for (; j + R <= n_right; j += R) product_block<L, R>(weighted, right + j, first, rows, out + j, stride);
        for (; j < n_right; ++j) {
            if (L == 1)
                out[j] += dot(weighted[0], right[j] + first, rows);
            else
                product_block<L, 1>(weighted, right + j, first, rows, out + j, stride);
        }
    }
}

void products(const double* weights, const double* const* left, size_t n_left, const double* const* right, size_t n_right,
              bool lower, size_t n, double* out, size_t stride) {
    const auto needed = [&](size_t last) { return lower && last < n_right ? last : n_right; };
    size_t i = 0;
    for (; i + 4 <= n_left; i += 4) product_rows<4, 2>(weights, left + i, right, needed(i + 4), n, out + i * stride, stride);
    for (; i < n_left; ++i) product_rows<1, 4>(weights, left + i, right, needed(i + 1), n, out + i * stride, stride);
}

void along(const double* residuals, const double* curvatures, const double* const* columns, size_t k, size_t n, double* slopes,
           double* squares) {
    for (size_t i = 0; i < k; i += 2) {
        const double *one = columns[i], *two = columns[i + 1 < k ? i + 1 : i];
        Eight slope[2] = {}, square[2] = {};
        for (size_t c = 0; c < n; c += 8) {
            const Eight residual = eight(residuals + c), curvature = eight(curvatures + c), x = eight(one + c), y = eight(two + c);
            slope[0] += residual * x;
            slope[1] += residual * y;
            square[0] += curvature * x * x;
            square[1] += curvature * y * y;
        }
        for (size_t j = i; j < k && j < i + 2; ++j) {
            slopes[j] = total(slope[j - i]);
            squares[j] = total(square[j - i]);
        }
    }
}
