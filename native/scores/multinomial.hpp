// The response of a variable with states: the multinomial logit.
#pragma once
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "counting/limits.hpp"
#include "counting/simd.hpp"
#include "scores/blankets.hpp"
#include "scores/response.hpp"

namespace graphoid {

// The log-odds of states are their codes times the predictors.
class MultinomialLogit final : public Response {
public:
    // `code` has m numbers for every state; two states are coded by treatment or contrast.
    MultinomialLogit(const Family& family, Coding coding, std::vector<double>&& code, std::size_t rows, const Simd& simd)
        : Response(family.states - 1, rows), simd_(simd), coding_(coding), states_(family.states), code_(std::move(code)),
          counts_(states_, rows), totals_(1, rows), work_(states_ * (states_ + 5) / 2 + 1) {
        for (std::size_t c = 0; c < family.n; ++c)
            for (std::size_t s = 0; s < states_; ++s) {
                counts_[s][c] = family.counts[c * states_ + s];
                totals_[0][c] += counts_[s][c];
            }
    }

    double evaluate() override {
        if (m == 1) return evaluate_two();
        check_time();
        const Simd::Multinomial model{states_, m, code_.data(), counts_[0], totals_[0], work_.data()->of};
        return simd_.multinomial(model, predictors[0], rows, residuals[0], curvatures[0]);
    }

    // Contrasts are orthogonal: each has its share of the log frequencies.
    std::vector<double> start() const override {
        std::vector<double> constants(m, 0.0), logs(states_);
        for (std::size_t s = 0; s < states_; ++s) {
            double rows_of = 0.5;
            for (std::size_t c = 0; c < rows; ++c) rows_of += counts_[s][c];
            logs[s] = std::log(rows_of);
        }
        for (std::size_t a = 0; a < m && coding_ == Coding::orthonormal; ++a) {
            double mean = 0, along = 0, length = 0;
            for (std::size_t s = 0; s < states_; ++s) mean += code_[s * m + a] / static_cast<double>(states_);
            for (std::size_t s = 0; s < states_; ++s) {
                along += (code_[s * m + a] - mean) * logs[s];
                length += (code_[s * m + a] - mean) * (code_[s * m + a] - mean);
            }
            if (length > 0) constants[a] = along / length;
        }
        return constants;
    }

private:
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
    struct alignas(64) Eight {
        double of[8];
    };
    std::vector<Eight> work_;
};

}  // namespace graphoid
