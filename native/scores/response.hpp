// What models of a variable given its blanket are made of: coded states, columns of numbers, and the kind of response.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphoid {

// Columns of as many numbers as there are rows (configurations of a blanket), a multiple of 8.
struct Columns {
    std::size_t width, rows;
    std::vector<double> values;

    Columns(std::size_t width, std::size_t rows) : width(width), rows(rows), values(width * rows, 0.0) {}
    double* operator[](std::size_t u) { return values.data() + u * rows; }
    const double* operator[](std::size_t u) const { return values.data() + u * rows; }
};

// How r states become r - 1 numbers each. Treatment: whether it is the second, the third... Orthonormal contrasts: a normal
// prior of equal variances on their weights does not depend on the order of the states.
enum class Coding { treatment, orthonormal };

// r lines of r - 1 numbers
inline std::vector<double> code_states(Coding coding, std::uint32_t r) {
    std::vector<double> c(static_cast<std::size_t>(r) * (r - 1), 0.0);
    for (std::uint32_t a = 0; a + 1 < r; ++a) {
        const bool treatment = coding == Coding::treatment;
        const double unit = 1.0 / std::sqrt((a + 1.0) * (a + 2.0));
        for (std::uint32_t s = 0; s <= a; ++s) c[s * (r - 1) + a] = treatment ? 0.0 : unit;
        c[(a + 1) * (r - 1) + a] = treatment ? 1.0 : -(a + 1.0) * unit;
    }
    return c;
}

// Codes of ordered states, of which there are so many rows each: first the score of a state, its position, with mean 0 and
// variance one half (as the contrast of two states that are as frequent has it), then orthonormal contrasts that say the rest.
inline std::vector<double> code_ordered(const std::vector<double>& margin) {
    const std::size_t r = margin.size(), m = r - 1;
    std::vector<double> c = code_states(Coding::orthonormal, static_cast<std::uint32_t>(r)), w(m, 0.0);
    double n = 0, mean = 0, variance = 0, length = 0, squared = 0;
    for (std::size_t s = 0; s < r; ++s) {
        n += margin[s];
        mean += margin[s] * static_cast<double>(s);
    }
    mean /= n;
    for (std::size_t s = 0; s < r; ++s) {
        const double off = static_cast<double>(s) - mean, centered = static_cast<double>(s) - 0.5 * static_cast<double>(m);
        variance += margin[s] * off * off / n;
        length += centered * centered;
        for (std::size_t a = 0; a < m; ++a) w[a] -= centered * c[s * m + a];
    }
    // the reflection that takes the first contrast to the straight line
    for (double& v : w) v /= std::sqrt(length);
    w[0] += 1;
    for (const double v : w) squared += v * v;
    const double unit = variance > 0 ? std::sqrt(0.5 / variance) : 0.0;
    for (std::size_t s = 0; s < r; ++s) {
        double along = 0;
        for (std::size_t a = 0; a < m; ++a) along += c[s * m + a] * w[a];
        for (std::size_t a = 0; a < m && squared > 0; ++a) c[s * m + a] -= 2 * along * w[a] / squared;
        c[s * m] = (static_cast<double>(s) - mean) * unit;
    }
    return c;
}

// A kind of response: how likely what was observed in every row is, given m linear predictors of it.
class Response {
public:
    const std::size_t m, rows;
    Columns predictors, residuals, curvatures;  // curvatures of pairs of predictors: at(a, b)

    Response(std::size_t m, std::size_t rows)
        : m(m), rows(rows), predictors(m, rows), residuals(m, rows), curvatures(m * (m + 1) / 2, rows) {}
    virtual ~Response() = default;
    // The log-likelihood at the predictors; its derivatives by them to residuals, minus its second ones to curvatures.
    virtual double evaluate() = 0;
    // Weights to start from, for every predictor those of some columns, the first of them constant: close to what fits best with
    // a normal prior of such a precision, if only the constants and the effects on the first `main` predictors are not 0.
    virtual std::vector<std::vector<double>> start(const std::vector<const double*>& columns, std::size_t main, double precision) const = 0;

    // The predictors where no column has an effect, and the log-likelihood there.
    virtual std::vector<double> constants() const = 0;
    virtual double unexplained() const = 0;

    static std::size_t at(std::size_t a, std::size_t b) { return a < b ? at(b, a) : a * (a + 1) / 2 + b; }
};

}  // namespace graphoid
