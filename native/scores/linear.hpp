// The little linear algebra that fitting small models takes.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "counting/limits.hpp"

namespace graphoid {

// Cholesky factor of a symmetric matrix that may be singular (row-major, lower triangle used): components that depend
// on earlier ones are left out.
class Cholesky {
public:
    static constexpr std::size_t kLong = 256;  // components from which on the clock is not felt
    static constexpr double kAliased = 1e-9;  // a component of which so little is left is a combination of others

    Cholesky(std::vector<double>&& h, std::size_t k) : Cholesky(std::move(h), k, nullptr) {}
    // `diagonal`: what that of the matrix was before something was taken off it
    Cholesky(std::vector<double>&& h, std::size_t k, const double* diagonal) : h_(std::move(h)), k_(k), aliased_(k, false) {
        std::vector<double> whole(k);
        for (std::size_t j = 0; j < k; ++j) {
            whole[j] = diagonal == nullptr ? h_[j * k + j] : diagonal[j];
            for (std::size_t i = 0; i < j; ++i) h_[i * k + j] = h_[j * k + i];
        }
        // Row by row of the transposed factor, each taken off those below as soon as it is known: loops along rows.
        for (std::size_t j = 0; j < k; ++j) {
            if (k >= kLong) check_time();
            double* row = h_.data() + j * k;
            aliased_[j] = !(row[j] > kAliased * whole[j]) || !(row[j] > 0);
            if (aliased_[j]) {
                std::fill(row + j, row + k, 0.0);
                row[j] = 1.0;
                continue;
            }
            row[j] = std::sqrt(row[j]);
            for (std::size_t i = j + 1; i < k; ++i) row[i] /= row[j];
            for (std::size_t i = j + 1; i < k; ++i) {
                const double factor = row[i];
                double* below = h_.data() + i * k;
                for (std::size_t l = i; l < k; ++l) below[l] -= factor * row[l];
            }
        }
    }

    // L d = g
    void forward(const double* g, double* d) const {
        std::copy_n(g, k_, d);
        forward_each(d, 1);
    }
    // L d = d, in place, for q right sides beside each other: d is [component][side].
    void forward_each(double* d, std::size_t q) const {
        for (std::size_t j = 0; j < k_; ++j) {
            if (k_ >= kLong) check_time();
            const double* row = h_.data() + j * k_;
            double* mine = d + j * q;
            for (std::size_t s = 0; s < q; ++s) mine[s] = aliased_[j] ? 0.0 : mine[s] / row[j];
            for (std::size_t i = j + 1; i < k_; ++i)
                for (std::size_t s = 0; s < q; ++s) d[i * q + s] -= row[i] * mine[s];
        }
    }
    // L' d = d, in place
    void backward(double* d) const {
        for (std::size_t j = k_; j-- > 0;) {
            if (aliased_[j]) continue;
            const double* row = h_.data() + j * k_;
            double sum = d[j];
            for (std::size_t i = k_; i-- > j + 1;) sum -= row[i] * d[i];
            d[j] = sum / row[j];
        }
    }
    // The same for q right sides beside each other, as forward_each has them.
    void backward_each(double* d, std::size_t q) const {
        for (std::size_t j = k_; j-- > 0;) {
            if (aliased_[j]) continue;
            const double* row = h_.data() + j * k_;
            for (std::size_t i = k_; i-- > j + 1;)
                for (std::size_t s = 0; s < q; ++s) d[j * q + s] -= row[i] * d[i * q + s];
            for (std::size_t s = 0; s < q; ++s) d[j * q + s] /= row[j];
        }
    }
    // Logarithm of the determinant, of what is not left out.
    double log_determinant() const {
        double sum = 0;
        for (std::size_t j = 0; j < k_; ++j) sum += std::log(h_[j * k_ + j]);
        return 2 * sum;
    }

    // Diagonal of the inverse.
    std::vector<double> inverse_diagonal() const {
        std::vector<double> d(k_ * k_, 0.0), out(k_, 0.0);
        for (std::size_t i = 0; i < k_; ++i) d[i * k_ + i] = 1.0;
        forward_each(d.data(), k_);
        for (std::size_t j = 0; j < k_; ++j)
            for (std::size_t i = 0; i < k_; ++i) out[i] += d[j * k_ + i] * d[j * k_ + i];
        return out;
    }

private:
    std::vector<double> h_;  // the transposed factor, upper triangle
    std::size_t k_;
    std::vector<bool> aliased_;
};

}  // namespace graphoid
