// How likely the counts of a variable are given its blanket, with the effects of a logistic model integrated out.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "scores/blankets.hpp"
#include "scores/linear.hpp"
#include "counting/parallel.hpp"

namespace graphoid {

namespace {

constexpr int kMostSteps = 60;
constexpr double kGain = 1e-10;    // what a step may still be worth when the climb ends
constexpr double kConstant = 5;    // standard deviation of the constant a priori, in those of the effects
constexpr double kDoubt = 1.0;     // a product is fitted even if it promises to lower the evidence by so much

// Orthonormal contrasts of r states: r lines of r - 1 numbers. A normal prior of equal variances on their weights does
// not depend on the order of the states.
std::vector<double> contrasts(std::uint32_t r) {
    std::vector<double> c(static_cast<std::size_t>(r) * (r - 1), 0.0);
    for (std::uint32_t a = 0; a + 1 < r; ++a) {
        const double unit = 1.0 / std::sqrt((a + 1.0) * (a + 2.0));
        for (std::uint32_t s = 0; s <= a; ++s) c[s * (r - 1) + a] = unit;
        c[(a + 1) * (r - 1) + a] = -(a + 1.0) * unit;
    }
    return c;
}

using Pointers = std::vector<const double*>;

// Columns of the design: `width` of them, each with a number for every configuration and padded with zeros.
struct Columns {
    std::size_t width, rows;
    std::vector<double> values;

    Columns(std::size_t width, std::size_t rows) : width(width), rows(rows), values(width * rows, 0.0) {}
    double* operator[](std::size_t u) { return values.data() + u * rows; }
    const double* operator[](std::size_t u) const { return values.data() + u * rows; }
    void append_to(Pointers& pointers) const {
        for (std::size_t u = 0; u < width; ++u) pointers.push_back((*this)[u]);
    }
};

Columns effect(const Family& family, std::size_t members, std::size_t member, std::uint32_t arity, std::size_t rows) {
    const std::vector<double> c = contrasts(arity);
    Columns columns(arity - 1, rows);
    for (std::size_t i = 0; i < family.n; ++i)
        for (std::size_t u = 0; u < columns.width; ++u)
            columns[u][i] = c[static_cast<std::size_t>(family.members[i * members + member]) * columns.width + u];
    return columns;
}

Columns product(const Columns& a, const Columns& b) {
    Columns columns(a.width * b.width, a.rows);
    for (std::size_t s = 0; s < a.width; ++s)
        for (std::size_t t = 0; t < b.width; ++t) {
            double* to = columns[s * b.width + t];
            for (std::size_t i = 0; i < a.rows; ++i) to[i] = a[s][i] * b[t][i];
        }
    return columns;
}

// Logistic models of the counts of a family. Weights are [contrast of x][column]; the first column is the constant.
class Model {
public:
    Model(const Family& family, std::size_t rows, double scale, const Simd& simd)
        : simd_(simd), states_(family.states), m_(states_ - 1), rows_(rows), contrast_(contrasts(family.states)), precision_(1 / (scale * scale)),
          counts_(states_, rows), totals_(1, rows), logits_(m_, rows), residuals_(m_, rows), spreads_(m_ * (m_ + 1) / 2, rows), pi_(states_) {
        for (std::size_t c = 0; c < family.n; ++c)
            for (std::size_t s = 0; s < states_; ++s) {
                counts_[s][c] = family.counts[c * states_ + s];
                totals_[0][c] += counts_[s][c];
            }
    }

    // Climbs from `weights` to the most probable ones, and returns the log evidence of the model.
    double fit(const Pointers& design, std::vector<double>& weights) {
        const std::size_t k = m_ * design.size();
        std::vector<double> step(k), tried(k);
        double reached = evaluate(design, weights);
        for (int steps = 0;; ++steps) {
            Cholesky factor(std::vector<double>(hessian_), k);
            factor.forward(gradient_.data(), step.data());
            const double promised = dot(step, step);
            if (!(promised > 2 * kGain) || steps == kMostSteps) return evidence(reached + promised / 2, factor, design.size());
            factor.backward(step.data());
            double size = 1, value;
            do {
                for (std::size_t i = 0; i < k; ++i) tried[i] = weights[i] + size * step[i];
                value = evaluate(design, tried);
                size /= 2;
            } while (!(value >= reached) && size > 1e-6);
            if (!(value >= reached)) {
                evaluate(design, weights);
                return evidence(reached, Cholesky(std::vector<double>(hessian_), k), design.size());
            }
            reached = value;
            weights.swap(tried);
        }
    }

    // What promises are about: a fitted model.
    void stand(const Pointers& design, const std::vector<double>& weights) {
        evaluate(design, weights);
        design_ = design;
        information_ = Cholesky(std::vector<double>(hessian_), m_ * design.size());
    }

    // By how much columns would raise the log evidence of that model, to second order: one pass and no climb.
    double promise(const Columns& more) {
        const std::size_t p = design_.size(), d = more.width, k = m_ * p, q = m_ * d;
        Pointers columns;
        more.append_to(columns);
        std::vector<double> gradient(q, 0.0), cross(d * p), known(k * q), step(q);
        for (std::size_t a = 0; a < m_; ++a) {
            slopes_along(columns, a, gradient.data() + a * d);
            for (std::size_t b = 0; b <= a; ++b) {
                std::fill(cross.begin(), cross.end(), 0.0);
                simd_.products(spreads_[spread(a, b)], columns.data(), d, design_.data(), p, false, rows_, cross.data(), p);
                for (std::size_t u = 0; u < d; ++u)
                    for (std::size_t t = 0; t < p; ++t)
                        known[(b * p + t) * q + a * d + u] = known[(a * p + t) * q + b * d + u] = cross[u * p + t];
            }
        }
        information_.forward_each(known.data(), q);
        std::vector<double> own = curvature(columns);
        for (std::size_t i = 0; i < q; ++i) own[i * q + i] += precision_;
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t i = 0; i < q; ++i)
                for (std::size_t j = 0; j <= i; ++j) own[i * q + j] -= known[l * q + i] * known[l * q + j];
        const Cholesky factor(std::move(own), q);
        factor.forward(gradient.data(), step.data());
        return 0.5 * (dot(step, step) - factor.log_determinant() + static_cast<double>(q) * std::log(precision_));
    }

private:
    static std::size_t spread(std::size_t a, std::size_t b) { return a < b ? spread(b, a) : a * (a + 1) / 2 + b; }

    double prior_precision(std::size_t column) const { return column == 0 ? precision_ / (kConstant * kConstant) : precision_; }

    double evidence(double reached, const Cholesky& factor, std::size_t columns) const {
        double log_prior = 0;
        for (std::size_t u = 0; u < columns; ++u) log_prior += std::log(prior_precision(u));
        return reached + 0.5 * (static_cast<double>(m_) * log_prior - factor.log_determinant());
    }

    // Residuals and spreads in terms of the contrasts of x, from the logits; returns the log-likelihood.
    double look() {
        if (m_ == 1) return look_at_two();
        double sum = 0;
        std::fill(residuals_.values.begin(), residuals_.values.end(), 0.0);
        std::fill(spreads_.values.begin(), spreads_.values.end(), 0.0);
        std::vector<double> mean(m_);
        for (std::size_t c = 0; c < rows_; ++c) {
            const double total = totals_[0][c];
            if (total == 0) continue;
            double most = -std::numeric_limits<double>::infinity(), z = 0;
            for (std::size_t s = 0; s < states_; ++s) {
                pi_[s] = 0;
                for (std::size_t a = 0; a < m_; ++a) pi_[s] += contrast_[s * m_ + a] * logits_[a][c];
                most = std::max(most, pi_[s]);
                sum += counts_[s][c] * pi_[s];
            }
            for (double& u : pi_) z += u = std::exp(u - most);
            sum -= total * (most + std::log(z));
            for (std::size_t a = 0; a < m_; ++a) {
                mean[a] = 0;
                for (std::size_t s = 0; s < states_; ++s) mean[a] += pi_[s] / z * contrast_[s * m_ + a];
            }
            for (std::size_t s = 0; s < states_; ++s) {
                const double expected = total * (pi_[s] / z);
                for (std::size_t a = 0; a < m_; ++a) {
                    residuals_[a][c] += (counts_[s][c] - expected) * contrast_[s * m_ + a];
                    const double off = expected * (contrast_[s * m_ + a] - mean[a]);
                    for (std::size_t b = 0; b <= a; ++b) spreads_[spread(a, b)][c] += off * (contrast_[s * m_ + b] - mean[b]);
                }
            }
        }
        return sum;
    }

    // The contrasts of two states are 1 and -1 over the square root of 2.
    double look_at_two() {
        const double root = std::sqrt(2.0);
        for (std::size_t c = 0; c < rows_; ++c) logits_[0][c] *= root;
        const double sum = simd_.binomial(logits_[0], counts_[0], totals_[0], rows_, residuals_[0], spreads_[0]);
        for (std::size_t c = 0; c < rows_; ++c) {
            residuals_[0][c] *= root;
            spreads_[0][c] *= 2;
        }
        return sum;
    }

    void slopes_along(const Pointers& columns, std::size_t a, double* out) {
        ones_.assign(rows_, 1.0);
        const double* one = ones_.data();
        simd_.products(residuals_[a], &one, 1, columns.data(), columns.size(), false, rows_, out, columns.size());
    }

    // Minus the second derivatives of the log-likelihood along some columns, lower triangle.
    std::vector<double> curvature(const Pointers& columns) {
        const std::size_t p = columns.size(), k = m_ * p;
        std::vector<double> h(k * k, 0.0), block(p * p);
        for (std::size_t a = 0; a < m_; ++a)
            for (std::size_t b = 0; b <= a; ++b) {
                std::fill(block.begin(), block.end(), 0.0);
                simd_.products(spreads_[spread(a, b)], columns.data(), p, columns.data(), p, true, rows_, block.data(), p);
                for (std::size_t u = 0; u < p; ++u)
                    for (std::size_t t = 0; t <= u; ++t)
                        h[(a * p + u) * k + b * p + t] = h[(a * p + t) * k + b * p + u] = block[u * p + t];
            }
        return h;
    }

    // Log-likelihood and log prior (without its constant); gradient and minus second derivatives on the way.
    double evaluate(const Pointers& design, const std::vector<double>& w) {
        const std::size_t p = design.size(), k = m_ * p;
        for (std::size_t a = 0; a < m_; ++a) simd_.combine(design.data(), p, w.data() + a * p, rows_, logits_[a]);
        double sum = look();
        gradient_.assign(k, 0.0);
        for (std::size_t a = 0; a < m_; ++a) slopes_along(design, a, gradient_.data() + a * p);
        hessian_ = curvature(design);
        for (std::size_t a = 0; a < m_; ++a)
            for (std::size_t u = 0; u < p; ++u) {
                const std::size_t i = a * p + u;
                sum -= 0.5 * prior_precision(u) * w[i] * w[i];
                gradient_[i] -= prior_precision(u) * w[i];
                hessian_[i * k + i] += prior_precision(u);
            }
        return sum;
    }

    const Simd& simd_;
    std::size_t states_, m_, rows_;
    std::vector<double> contrast_;
    double precision_;
    Columns counts_, totals_, logits_, residuals_, spreads_;
    std::vector<double> pi_, ones_, gradient_, hessian_;
    Pointers design_;
    Cholesky information_{{}, 0};
};

struct Product {
    Columns columns;
    double promise;      // when it was last looked at
    std::size_t seen;    // how many had been taken then
};

double evidence_of(const Dataset& data, const Blanket& blanket, bool interactions, double scale) {
    const Family family = count_family(data, blanket);
    const std::size_t width = blanket.members.size(), rows = (family.n + 7) / 8 * 8;
    if (family.n == 0 || family.states < 2) return 0.0;
    Columns constant(1, rows);
    std::fill_n(constant[0], family.n, 1.0);
    Pointers design{constant[0]};
    std::vector<Columns> effects, taken;
    for (std::size_t m = 0; m < width; ++m) {
        effects.push_back(effect(family, width, m, data.columns[blanket.members[m]].arity, rows));
        effects.back().append_to(design);
    }
    Model model(family, rows, scale, data.simd);
    const std::size_t classes = family.states - 1;
    std::vector<double> weights(classes * design.size(), 0.0);
    double best = model.fit(design, weights);
    if (!interactions || width < 2) return best;
    model.stand(design, weights);
    std::vector<Product> left;
    for (std::size_t a = 0; a < width; ++a)
        for (std::size_t b = a + 1; b < width; ++b) {
            Columns columns = product(effects[a], effects[b]);
            const double promise = model.promise(columns);
            left.push_back({std::move(columns), promise, 0});
        }
    // Products are taken in the order of what they promise, until one does not keep it; each pays for having been chosen among
    // so many. Promises shrink as others are taken: only one that looks best is looked at again.
    const double price = std::log(1.0 + static_cast<double>(left.size()));
    while (!left.empty()) {
        const auto chosen = std::max_element(left.begin(), left.end(), [](const Product& a, const Product& b) { return a.promise < b.promise; });
        if (!(chosen->promise > price - kDoubt)) break;
        if (chosen->seen < taken.size()) {
            chosen->promise = model.promise(chosen->columns);
            chosen->seen = taken.size();
            continue;
        }
        Pointers wider = design;
        chosen->columns.append_to(wider);
        taken.push_back(std::move(chosen->columns));  // its numbers stay where they are
        left.erase(chosen);
        std::vector<double> at(classes * wider.size(), 0.0);
        for (std::size_t a = 0; a < classes; ++a)
            std::copy_n(weights.data() + a * design.size(), design.size(), at.data() + a * wider.size());
        const double found = model.fit(wider, at) - price * static_cast<double>(taken.size());
        if (!(found > best)) break;
        best = found;
        design = std::move(wider);
        weights = std::move(at);
        model.stand(design, weights);
    }
    return best;
}

}  // namespace

void logistic_evidence(const Dataset& data, bool interactions, double scale, const std::vector<Blanket>& blankets,
                       unsigned threads, double* out) {
    in_parallel(blankets.size(), threads, [&](std::size_t i, unsigned) { out[i] = evidence_of(data, blankets[i], interactions, scale); });
}

}  // namespace graphoid
