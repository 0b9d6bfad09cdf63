// The response of a variable whose states have no order: the multinomial logit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "counting/simd.hpp"
#include "scores/blankets.hpp"
#include "scores/response.hpp"

namespace graphoid {

// The log-odds of states are their codes times the predictors.
class MultinomialLogit final : public Response {
public:
    MultinomialLogit(const Family& family, Coding coding, std::size_t rows, const Simd& simd)
        : Response(family.states - 1, rows), simd_(simd), coding_(coding), states_(family.states), code_(code_states(coding, family.states)),
          counts_(states_, rows), totals_(1, rows), pi_(states_), mean_(m) {
        for (std::size_t c = 0; c < family.n; ++c)
            for (std::size_t s = 0; s < states_; ++s) {
                counts_[s][c] = family.counts[c * states_ + s];
                totals_[0][c] += counts_[s][c];
            }
    }

    double evaluate() override {
        if (m == 1) return evaluate_two();
        const bool treatment = coding_ == Coding::treatment;
        double sum = 0;
        for (std::size_t c = 0; c < rows; ++c) {
            if (m >= 16) check_time();
            const double total = totals_[0][c];
            double most = -std::numeric_limits<double>::infinity(), z = 0;
            for (std::size_t s = 0; s < states_; ++s) {
                pi_[s] = s > 0 && treatment ? predictors[s - 1][c] : 0;
                for (std::size_t a = 0; a < m && !treatment; ++a) pi_[s] += code_[s * m + a] * predictors[a][c];
                most = std::max(most, pi_[s]);
                sum += counts_[s][c] * pi_[s];
            }
            for (double& u : pi_) z += u = std::exp(u - most);
            sum -= total * (most + std::log(z));
            for (double& u : pi_) u /= z;
            if (treatment)
                derive_by_states(c, total);
            else
                derive_by_codes(c, total);
        }
        return sum;
    }

private:
    // Derivatives in a row by the predictors, each of which is that of a state.
    void derive_by_states(std::size_t c, double total) {
        for (std::size_t a = 0; a < m; ++a) {
            const double expected = total * pi_[a + 1];
            residuals[a][c] = counts_[a + 1][c] - expected;
            for (std::size_t b = 0; b < a; ++b) curvatures[at(a, b)][c] = -expected * pi_[b + 1];
            curvatures[at(a, a)][c] = expected * (1 - pi_[a + 1]);
        }
    }

    void derive_by_codes(std::size_t c, double total) {
        for (std::size_t a = 0; a < m; ++a) {
            mean_[a] = residuals[a][c] = 0;
            for (std::size_t b = 0; b <= a; ++b) curvatures[at(a, b)][c] = 0;
            for (std::size_t s = 0; s < states_; ++s) mean_[a] += pi_[s] * code_[s * m + a];
        }
        for (std::size_t s = 0; s < states_; ++s) {
            const double expected = total * pi_[s];
            for (std::size_t a = 0; a < m; ++a) {
                residuals[a][c] += (counts_[s][c] - expected) * code_[s * m + a];
                const double off = expected * (code_[s * m + a] - mean_[a]);
                for (std::size_t b = 0; b <= a; ++b) curvatures[at(a, b)][c] += off * (code_[s * m + b] - mean_[b]);
            }
        }
    }

    // The codes of two states differ by the square root of 2 in orthonormal contrasts, by -1 in treatment coding.
    double evaluate_two() {
        const double squared = coding_ == Coding::orthonormal ? 2.0 : 1.0;
        const double difference = coding_ == Coding::orthonormal ? std::sqrt(squared) : -1.0;
        for (std::size_t c = 0; c < rows; ++c) predictors[0][c] *= difference;
        const double sum = simd_.binomial(predictors[0], counts_[0], totals_[0], rows, residuals[0], curvatures[0]);
        for (std::size_t c = 0; c < rows; ++c) {
            residuals[0][c] *= difference;
            curvatures[0][c] *= squared;
        }
        return sum;
    }

    const Simd& simd_;
    Coding coding_;
    std::size_t states_;
    std::vector<double> code_;
    Columns counts_, totals_;
    std::vector<double> pi_, mean_;
};

}  // namespace graphoid
