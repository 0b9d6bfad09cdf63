// The response of a variable with states: the multinomial logit.
#pragma once
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "counting/limits.hpp"
#include "counting/simd.hpp"
#include "scores/blankets.hpp"
#include "scores/linear.hpp"
#include "scores/response.hpp"

namespace graphoid {

// The log-odds of states are their codes times the predictors.
class MultinomialLogit final : public Response {
public:
    // `code` has m numbers for every state; two states are coded by treatment or contrast.
    MultinomialLogit(const Family& family, Coding coding, std::vector<double>&& code, std::size_t rows, const Simd& simd)
        : Response(family.states - 1, rows), simd_(simd), coding_(coding), states_(family.states), code_(std::move(code)),
          counts_(states_, rows), totals_(1, rows), rows_of_(states_, 0.0), work_(states_ * (states_ + 5) / 2 + 1) {
        for (std::size_t c = 0; c < family.n; ++c)
            for (std::size_t s = 0; s < states_; ++s) {
                counts_[s][c] = family.counts[c * states_ + s];
                totals_[0][c] += counts_[s][c];
                rows_of_[s] += counts_[s][c];
            }
    }

    double evaluate() override {
        if (m == 1) return evaluate_two();
        check_time();
        const Simd::Multinomial model{states_, m, code_.data(), counts_[0], totals_[0], work_.data()->of};
        return simd_.multinomial(model, predictors[0], rows, residuals[0], curvatures[0]);
    }

    // Linear discriminants: what is right if the codes of the first predictors are normal around linear predictions.
    std::vector<std::vector<double>> start(const std::vector<const double*>& columns, std::size_t main, double precision) const override {
        std::vector<std::vector<double>> found(m, std::vector<double>(columns.size(), 0.0));
        std::vector<double> logs = log_frequencies();
        const double total = std::accumulate(rows_of_.begin(), rows_of_.end(), 0.0);
        if (coding_ == Coding::orthonormal && columns.size() > 1 && total > 0 && precision > 0)
            discriminate(columns, main, precision, total, logs, found);
        const std::vector<double> constants = constants_of(logs);
        for (std::size_t a = 0; a < m; ++a) found[a][0] = constants[a];
        return found;
    }

    std::vector<double> constants() const override { return constants_of(log_frequencies()); }

    double unexplained() const override {
        const double total = std::accumulate(rows_of_.begin(), rows_of_.end(), 0.0);
        double sum = 0;
        for (const double rows : rows_of_)
            if (rows > 0) sum += rows * std::log(rows / total);
        return sum;
    }

private:
    std::vector<double> log_frequencies() const {
        std::vector<double> logs;
        for (const double rows : rows_of_) logs.push_back(std::log(rows + 0.5));
        return logs;
    }

    // Contrasts are orthogonal: each has its share of the log frequencies.
    std::vector<double> constants_of(const std::vector<double>& logs) const {
        std::vector<double> constants(m, 0.0);
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

    // The effects of columns on the first predictors, and what they leave of the logs of frequencies.
    void discriminate(const std::vector<const double*>& columns, std::size_t main, double precision, double total,
                      std::vector<double>& logs, std::vector<std::vector<double>>& found) const {
        const std::size_t p = columns.size(), k = p - 1;
        Columns codes(main, rows);
        std::vector<double> mean(main, 0.0), before(main * main, 0.0), moments(p * p, 0.0), along(main * p, 0.0);
        for (std::size_t a = 0; a < main; ++a)
            for (std::size_t s = 0; s < states_; ++s)
                for (std::size_t c = 0; c < rows; ++c) codes[a][c] += counts_[s][c] * code_[s * m + a];
        std::vector<const double*> sides;
        for (std::size_t a = 0; a < main; ++a) sides.push_back(codes[a]);
        simd_.products(totals_[0], columns.data(), p, columns.data(), p, true, rows, moments.data(), p);
        simd_.products(columns[0], columns.data(), p, sides.data(), main, false, rows, along.data(), main);
        for (std::size_t a = 0; a < main; ++a) mean[a] = along[a] / total;
        for (std::size_t s = 0; s < states_; ++s)
            for (std::size_t a = 0; a < main; ++a)
                for (std::size_t b = 0; b <= a; ++b) before[a * main + b] += rows_of_[s] * (code_[s * m + a] - mean[a]) * (code_[s * m + b] - mean[b]) / total;
        double spread = 0;
        for (std::size_t a = 0; a < main; ++a) spread += before[a * main + a] / static_cast<double>(main);
        // slopes, as a ridge regression has them
        std::vector<double> own(k * k), slopes(k * main);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j <= i; ++j) own[i * k + j] = moments[(i + 1) * p + j + 1] - moments[(i + 1) * p] * moments[(j + 1) * p] / total;
            own[i * k + i] += precision * spread;
            for (std::size_t a = 0; a < main; ++a) slopes[i * main + a] = along[(i + 1) * main + a] - moments[(i + 1) * p] * mean[a];
        }
        const std::vector<double> shared = slopes;
        const Cholesky factor(std::move(own), k);
        factor.forward_each(slopes.data(), main);
        factor.backward_each(slopes.data(), main);
        // what they leave of the codes' variances, never nothing
        std::vector<double> after = before;
        for (std::size_t a = 0; a < main; ++a) {
            for (std::size_t b = 0; b <= a; ++b)
                for (std::size_t i = 0; i < k; ++i) after[a * main + b] -= kExplained * shared[i * main + a] * slopes[i * main + b] / total;
            before[a * main + a] += precision / total;
            after[a * main + a] += precision / total;
        }
        const Cholesky left(std::move(after), main), whole(std::move(before), main);
        std::vector<double> line(main), other(main);
        for (std::size_t i = 0; i < k; ++i) {
            left.forward(slopes.data() + i * main, line.data());
            left.backward(line.data());
            for (std::size_t a = 0; a < main; ++a) found[a][i + 1] = line[a];
        }
        for (std::size_t s = 0; s < states_; ++s) {
            std::vector<double> off(main);
            for (std::size_t a = 0; a < main; ++a) off[a] = code_[s * m + a] - mean[a];
            whole.forward(off.data(), line.data());
            left.forward(off.data(), other.data());
            for (std::size_t a = 0; a < main; ++a) {
                logs[s] += 0.5 * (line[a] * line[a] - other[a] * other[a]);
                for (std::size_t i = 0; i < k; ++i) logs[s] -= off[a] * found[a][i + 1] * moments[(i + 1) * p] / total;
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

    static constexpr double kExplained = 0.9;  // of what is explained: codes are no normal numbers
    const Simd& simd_;
    Coding coding_;
    std::size_t states_;
    std::vector<double> code_;
    Columns counts_, totals_;
    std::vector<double> rows_of_;  // of every state
    struct alignas(64) Eight {
        double of[8];
    };
    std::vector<Eight> work_;
};

}  // namespace graphoid
