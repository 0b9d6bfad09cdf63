// The little linear algebra that fitting small models takes.
#pragma once
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace graphoid {

// Cholesky factor of a symmetric matrix that may be singular (row-major, lower triangle used): components that depend
// on earlier ones are left out.
class Cholesky {
public:
    static constexpr double kAliased = 1e-9;  // a component of which so little is left is a combination of others

    Cholesky(std::vector<double>&& h, std::size_t k) : Cholesky(std::move(h), k, nullptr) {}
    // `diagonal`: what that of the matrix was before something was taken off it
    Cholesky(std::vector<double>&& h, std::size_t k, const double* diagonal) : h_(std::move(h)), k_(k), aliased_(k, false) {
        for (std::size_t j = 0; j < k; ++j) {
            double* row = h_.data() + j * k;
            const double whole = diagonal == nullptr ? row[j] : diagonal[j];
            for (std::size_t i = 0; i < j; ++i) {
                if (aliased_[i]) {
                    row[i] = 0;
                    continue;
                }
                const double* other = h_.data() + i * k;
                double sum = row[i];
                for (std::size_t l = 0; l < i; ++l) sum -= row[l] * other[l];
                row[i] = sum / other[i];
            }
            double pivot = row[j];
            for (std::size_t l = 0; l < j; ++l) pivot -= row[l] * row[l];
            aliased_[j] = !(pivot > kAliased * whole) || !(pivot > 0);
            row[j] = aliased_[j] ? 1.0 : std::sqrt(pivot);
        }
    }

    // L d = g
    void forward(const double* g, double* d) const {
        for (std::size_t j = 0; j < k_; ++j) {
            double sum = g[j];
            for (std::size_t l = 0; l < j; ++l) sum -= h_[j * k_ + l] * d[l];
            d[j] = aliased_[j] ? 0.0 : sum / h_[j * k_ + j];
        }
    }
    // L' d = d, in place
    void backward(double* d) const {
        for (std::size_t j = k_; j-- > 0;) {
            if (aliased_[j]) continue;
            d[j] /= h_[j * k_ + j];
            for (std::size_t l = 0; l < j; ++l) d[l] -= h_[j * k_ + l] * d[j];
        }
    }
    // Logarithm of the determinant, of what is not left out.
    double log_determinant() const {
        double sum = 0;
        for (std::size_t j = 0; j < k_; ++j) sum += std::log(h_[j * k_ + j]);
        return 2 * sum;
    }

private:
    std::vector<double> h_;
    std::size_t k_;
    std::vector<bool> aliased_;
};

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace graphoid
