// The wide-vector loops, one set for each instruction set. Compiled three times from simd.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace graphoid {

using std::int64_t, std::size_t, std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;
using Word = uint64_t;
constexpr std::size_t kLanes = 64;      // variables side by side in a row-major block: one cache line
constexpr std::size_t kWordAlign = 8;   // planes are padded to this many words, one 512-bit vector

constexpr std::size_t kBlockWords = 8;  // graphs searched together: 512, one vector
constexpr std::size_t kBlockGraphs = 64 * kBlockWords;

// What the chi-square statistic of many slices adds up to.
struct ChiSum {
    double high = 0, low = 0;    // the statistic, as an unevaluated sum of two doubles
    double dof = 0;              // sum of (rows - 1) (columns - 1) over slices, empty rows and columns left out
    std::size_t slices = 0;      // that are not empty
};

struct Simd {
    const char* name;
    // How many words an AND + popcount pass handles in the time a histogram needs for one row (measured):
    // decides between the two.
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
    // Counts rows by their mixed-radix code, code = code * radix + a * rb + b for each pair of columns in turn
    // (the first radix is not used). Histograms h, h + stride, h + 2 stride, h + 3 stride take turns.
    // Codes stay below 65,536; each pair has a * rb + b <= 32,767 and rb <= 127.
    struct Pair {
        const std::uint8_t *a, *b;
        std::uint16_t radix, rb;
    };
    void (*tabulate)(const Pair* pairs, std::size_t n_pairs, std::size_t n, std::uint32_t* h, std::size_t stride);
    // code[i] = (slice[i] * rx + x[i]) * ry + y[i]; slice may be null (all rows in slice 0)
    void (*cell16)(std::uint16_t* code, const std::uint16_t* slice, const std::uint8_t* x, const std::uint8_t* y,
                   std::uint16_t rx, std::uint16_t ry, std::size_t n);
    void (*cell32)(std::uint32_t* code, const std::uint32_t* slice, const std::uint8_t* x, const std::uint8_t* y,
                   std::uint32_t rx, std::uint32_t ry, std::size_t n);

    // For n rows of a row-major block of kLanes variables, counts[s * kLanes + lane] += rows with state s,
    // for s < states (the caller gets the last state by subtraction).
    void (*tally)(const std::uint8_t* block, const std::uint32_t* rows, std::size_t n, unsigned states,
                  std::uint32_t* counts);
    // counts[code[i] * lanes + k] += weights[i * stride + k] for n rows and k < lanes, a multiple of 16.
    void (*add_lanes)(const std::uint8_t* weights, std::size_t stride, const std::uint16_t* code, std::size_t n,
                      std::size_t lanes, std::uint16_t* counts);
    // Adds up the chi-square statistic of tables of rx * ry cells each, 2 <= rx, ry <= 4.
    void (*chi_slices)(const std::uint32_t* cells, std::size_t slices, unsigned rx, unsigned ry, ChiSum* sum);

    // values[i] += value where bit i of the mask is set.
    void (*add_where)(const Word* mask, std::size_t words, double value, double* values);
    // The sum of values[i] where bit i of the mask is set; added up in the same order on every processor.
    double (*sum_where)(const Word* mask, std::size_t words, const double* values);
    // Logistic regression at given logits: returns the sum of weights[i] log P(bit i of y), and the derivatives
    // weights[i] (y - p) by logit i into residuals; with `moves`, the derivatives of these along them.
    double (*logistic)(const double* logits, const double* moves, const Word* y, const double* weights, std::size_t words,
                       double* residuals);
    // The same of counts, n of them (a multiple of 8): `ones` of `totals` each. Also what the residuals lose as logits rise.
    double (*binomial)(const double* logits, const double* ones, const double* totals, std::size_t n, double* residuals,
                       double* spreads);
    // Multinomial logits of n configurations (a multiple of 8): those of states are their codes, a line each, times predictors.
    // Returns the log-likelihood of the counts; its derivatives by predictors to residuals, minus its second ones to curvatures
    // (pairs a >= b). Columns of n numbers follow each other. `work`: r (r + 5) / 2 times 8 numbers for r states, aligned to 64 bytes.
    struct Multinomial {
        std::size_t states, predictors;
        const double *code, *counts, *totals;
        double* work;
    };
    double (*multinomial)(const Multinomial& model, const double* predictors, std::size_t n, double* residuals, double* curvatures);
    // out[c] = sum of weights[i] columns[i][c] over k columns of n numbers (a multiple of 8).
    void (*combine)(const double* const* columns, std::size_t k, const double* weights, std::size_t n, double* out);
    // out[i * stride + j] += sum of weights[c] left[i][c] right[j][c] over c; with `lower`, all j <= i and maybe others.
    void (*products)(const double* weights, const double* const* left, std::size_t n_left, const double* const* right,
                     std::size_t n_right, bool lower, std::size_t n, double* out, std::size_t stride);
    // slopes[i] = sum of residuals[c] columns[i][c], squares[i] = sum of curvatures[c] columns[i][c]^2 over c.
    void (*along)(const double* residuals, const double* curvatures, const double* const* columns, std::size_t k, std::size_t n,
                  double* slopes, double* squares);
    // A search from x in kBlockGraphs graphs at once. planes has kBlockWords words a pair of the n <= 64 variables, a bit
    // a graph; joined[v] is what v is joined to in any of them; `open` are the variables a path may use, y among them, x not. Ones in `apart`: y is not reached. Ones in
    // `undone`: not known, because it went on in a few graphs only. Both have as many words as there are with graphs.
    void (*search)(const Word* planes, const Word* joined, unsigned n, unsigned x, unsigned y, Word open, std::size_t words,
                   Word* apart, Word* undone);
};

// The widest set this processor has; `wanted` ("plain", "avx2", "avx512") asks for less. Null if unknown.
const Simd* choose_simd(const char* wanted);

}  // namespace graphoid
