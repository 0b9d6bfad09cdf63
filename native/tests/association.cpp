#include "tests/association.hpp"

#include <algorithm>
#include <utility>

#include "counting/limits.hpp"

namespace graphoid {

void Association::begin(std::uint32_t rx, std::uint32_t ry) {
    kx_ = rx > 0 ? rx - 1 : 0;
    ky_ = ry > 0 ? ry - 1 : 0;
    const std::size_t k = kx_ * ky_;
    const double bytes = 0.5 * static_cast<double>(k) * (static_cast<double>(k) + 3) * sizeof(Sum<double>);
    if (bytes > static_cast<double>(most_memory.load())) throw TooLarge(0, bytes);
    difference_.assign(k, Sum<double>{});
    covariance_.assign(k * (k + 1) / 2, Sum<double>{});
}

// Given its margins, a slice is a draw without replacement:
// cov(N_ij, N_kl) = (n [i = k] r_i - r_i r_k) (n [j = l] c_j - c_j c_l) / (n^2 (n - 1)).
void Association::margins(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns, const double* row,
                          const double* column, double n) {
    if (n <= 1) return;  // a single row says nothing about two variables
    const double scale = 1 / (n * n * (n - 1));
    for (const std::uint32_t i : rows) {
        if (i >= kx_) break;
        for (const std::uint32_t k : rows) {
            if (k > i) break;
            const double spread = (i == k ? n * row[i] - row[i] * row[i] : -row[i] * row[k]) * scale;
            for (const std::uint32_t j : columns) {
                if (j >= ky_) break;
                for (const std::uint32_t l : columns) {
                    if (l >= ky_ || (i == k && l > j)) break;
                    const double other = j == l ? n * column[j] - column[j] * column[j] : -column[j] * column[l];
                    covariance(i * ky_ + j, k * ky_ + l).add(spread * other);
                }
            }
        }
    }
}

// d' V^-1 d by Cholesky's factors, the largest pivot first. States that never meet a choice leave V singular; what is
// left of a pivot then is rounding, far below any variance that whole numbers of rows can give.
double Association::end(double* dof) {
    const std::size_t size = difference_.size();
    left_.resize(size);
    matrix_.resize(size * size);
    double largest = 0;
    for (std::size_t a = 0; a < size; ++a) {
        left_[a] = difference_[a].value();
        for (std::size_t b = 0; b <= a; ++b) matrix_[a * size + b] = matrix_[b * size + a] = covariance(a, b).value();
        largest = std::max(largest, matrix_[a * size + a]);
    }
    double statistic = 0;
    std::size_t rank = 0;
    for (; rank < size; ++rank) {
        std::size_t pivot = rank;
        for (std::size_t a = rank + 1; a < size; ++a)
            if (matrix_[a * size + a] > matrix_[pivot * size + pivot]) pivot = a;
        const double variance = matrix_[pivot * size + pivot];
        if (!(variance > 1e-10 * largest)) break;
        if (pivot != rank) {
            std::swap(left_[pivot], left_[rank]);
            for (std::size_t b = 0; b < size; ++b) std::swap(matrix_[pivot * size + b], matrix_[rank * size + b]);
            for (std::size_t a = 0; a < size; ++a) std::swap(matrix_[a * size + pivot], matrix_[a * size + rank]);
        }
        statistic += left_[rank] * left_[rank] / variance;
        for (std::size_t a = rank + 1; a < size; ++a) {
            const double factor = matrix_[a * size + rank] / variance;
            if (factor == 0) continue;
            left_[a] -= factor * left_[rank];
            for (std::size_t b = rank + 1; b < size; ++b) matrix_[a * size + b] -= factor * matrix_[rank * size + b];
        }
    }
    *dof = static_cast<double>(rank);
    return statistic;
}

}  // namespace graphoid
