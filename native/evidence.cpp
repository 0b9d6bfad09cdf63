// How likely the counts of a variable are given its blanket, with the effects of a logistic model integrated out.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "blankets.hpp"
#include "linear.hpp"
#include "parallel.hpp"

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

// Columns of the design: one line of numbers for each configuration.
struct Block {
    std::size_t width;
    std::vector<double> values;
};

Block effect(const Family& family, std::size_t members, std::size_t member, std::uint32_t arity) {
    const std::vector<double> c = contrasts(arity);
    Block block{arity - 1, {}};
    block.values.reserve(family.n * block.width);
    for (std::size_t i = 0; i < family.n; ++i) {
        const double* line = c.data() + static_cast<std::size_t>(family.members[i * members + member]) * block.width;
        block.values.insert(block.values.end(), line, line + block.width);
    }
    return block;
}

Block product(const Block& a, const Block& b, std::size_t n) {
    Block block{a.width * b.width, std::vector<double>(n * a.width * b.width)};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t s = 0; s < a.width; ++s)
            for (std::size_t t = 0; t < b.width; ++t)
                block.values[i * block.width + s * b.width + t] = a.values[i * a.width + s] * b.values[i * b.width + t];
    return block;
}

Block beside(const Block& a, const Block& b, std::size_t n) {
    Block block{a.width + b.width, std::vector<double>(n * (a.width + b.width))};
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(a.values.data() + i * a.width, a.width, block.values.data() + i * block.width);
        std::copy_n(b.values.data() + i * b.width, b.width, block.values.data() + i * block.width + a.width);
    }
    return block;
}

// Weights are [contrast of x][column]; the first column is the constant.
class Model {
public:
    Model(const Family& family, double scale)
        : family_(family), m_(family.states - 1), contrast_(contrasts(family.states)), precision_(1 / (scale * scale)), pi_(family.states),
          mean_(m_), spread_(m_ * m_) {}

    // Climbs from `weights` to the most probable ones, and returns the log evidence of the model.
    double fit(const Block& design, std::vector<double>& weights) {
        const std::size_t k = m_ * design.width;
        std::vector<double> step(k), tried(k);
        double reached = evaluate(design, weights);
        for (int steps = 0;; ++steps) {
            Cholesky factor(std::vector<double>(hessian_), k);
            factor.forward(gradient_.data(), step.data());
            const double promised = dot(step, step);
            if (!(promised > 2 * kGain) || steps == kMostSteps) return evidence(reached + promised / 2, factor, design.width);
            factor.backward(step.data());
            double size = 1, value;
            do {
                for (std::size_t i = 0; i < k; ++i) tried[i] = weights[i] + size * step[i];
                value = evaluate(design, tried);
                size /= 2;
            } while (!(value >= reached) && size > 1e-6);
            if (!(value >= reached)) {
                evaluate(design, weights);
                return evidence(reached, Cholesky(std::vector<double>(hessian_), k), design.width);
            }
            reached = value;
            weights.swap(tried);
        }
    }

    // The factor of minus the second derivatives at weights that were fitted.
    Cholesky information(const Block& design, const std::vector<double>& weights) {
        evaluate(design, weights);
        return Cholesky(std::vector<double>(hessian_), m_ * design.width);
    }

    // By how much columns would raise the log evidence of a fitted model, to second order: one pass and no climb.
    double promise(const Block& design, const Block& more, const std::vector<double>& weights, const Cholesky& information) {
        const std::size_t p = design.width, d = more.width, k = m_ * p, q = m_ * d;
        std::vector<double> gradient(q, 0.0), own(q * q, 0.0), cross(q * k, 0.0);
        for (std::size_t c = 0; c < family_.n; ++c) {
            const double *x = design.values.data() + c * p, *y = more.values.data() + c * d;
            look(c, x, p, weights);
            for (std::size_t a = 0; a < m_; ++a) {
                for (std::size_t u = 0; u < d; ++u) gradient[a * d + u] += residual_[a] * y[u];
                for (std::size_t b = 0; b < m_; ++b) {
                    const double v = spread_[a * m_ + b];
                    for (std::size_t u = 0; u < d; ++u) {
                        const double vy = v * y[u];
                        double* own_row = own.data() + (a * d + u) * q + b * d;
                        for (std::size_t t = 0; t < d; ++t) own_row[t] += vy * y[t];
                        double* row = cross.data() + (a * d + u) * k + b * p;
                        for (std::size_t t = 0; t < p; ++t) row[t] += vy * x[t];
                    }
                }
            }
        }
        std::vector<double> known(q * k), step(q);
        for (std::size_t i = 0; i < q; ++i) information.forward(cross.data() + i * k, known.data() + i * k);
        for (std::size_t i = 0; i < q; ++i) {
            own[i * q + i] += precision_;
            for (std::size_t j = 0; j <= i; ++j)
                for (std::size_t l = 0; l < k; ++l) own[i * q + j] -= known[i * k + l] * known[j * k + l];
        }
        const Cholesky factor(std::move(own), q);
        factor.forward(gradient.data(), step.data());
        return 0.5 * (dot(step, step) - factor.log_determinant() + static_cast<double>(q) * std::log(precision_));
    }

private:
    double prior_precision(std::size_t column) const { return column == 0 ? precision_ / (kConstant * kConstant) : precision_; }

    double evidence(double reached, const Cholesky& factor, std::size_t columns) const {
        double log_prior = 0;
        for (std::size_t u = 0; u < columns; ++u) log_prior += std::log(prior_precision(u));
        return reached + 0.5 * (static_cast<double>(m_) * log_prior - factor.log_determinant());
    }

    // One configuration: residuals and spread in terms of the contrasts of x; returns its log-likelihood.
    double look(std::size_t c, const double* x, std::size_t p, const std::vector<double>& w) {
        const double* counts = family_.counts.data() + c * family_.states;
        double total = 0, most = -std::numeric_limits<double>::infinity();
        std::fill(pi_.begin(), pi_.end(), 0.0);
        for (std::size_t a = 0; a < m_; ++a) {
            double eta = 0;
            for (std::size_t u = 0; u < p; ++u) eta += x[u] * w[a * p + u];
            for (std::uint32_t s = 0; s < family_.states; ++s) pi_[s] += contrast_[s * m_ + a] * eta;
        }
        double counted = 0, z = 0;
        for (std::uint32_t s = 0; s < family_.states; ++s) {
            most = std::max(most, pi_[s]);
            total += counts[s];
            counted += counts[s] * pi_[s];
        }
        for (double& u : pi_) z += u = std::exp(u - most);
        for (double& u : pi_) u /= z;
        residual_.assign(m_, 0.0);
        std::fill(mean_.begin(), mean_.end(), 0.0);
        std::fill(spread_.begin(), spread_.end(), 0.0);
        for (std::uint32_t s = 0; s < family_.states; ++s)
            for (std::size_t a = 0; a < m_; ++a) {
                mean_[a] += pi_[s] * contrast_[s * m_ + a];
                residual_[a] += (counts[s] - total * pi_[s]) * contrast_[s * m_ + a];
            }
        for (std::uint32_t s = 0; s < family_.states; ++s)
            for (std::size_t a = 0; a < m_; ++a)
                for (std::size_t b = 0; b < m_; ++b)
                    spread_[a * m_ + b] += total * pi_[s] * (contrast_[s * m_ + a] - mean_[a]) * (contrast_[s * m_ + b] - mean_[b]);
        return counted - total * (most + std::log(z));
    }

    // Log-likelihood and log prior (without its constant); gradient and minus second derivatives on the way.
    double evaluate(const Block& design, const std::vector<double>& w) {
        const std::size_t p = design.width, k = m_ * p;
        gradient_.assign(k, 0.0);
        hessian_.assign(k * k, 0.0);
        double sum = 0;
        for (std::size_t c = 0; c < family_.n; ++c) {
            const double* x = design.values.data() + c * p;
            sum += look(c, x, p, w);
            for (std::size_t a = 0; a < m_; ++a) {
                for (std::size_t u = 0; u < p; ++u) gradient_[a * p + u] += residual_[a] * x[u];
                for (std::size_t b = 0; b <= a; ++b) {
                    const double v = spread_[a * m_ + b];
                    for (std::size_t u = 0; u < p; ++u) {
                        const double vx = v * x[u];
                        double* row = hessian_.data() + (a * p + u) * k + b * p;
                        const std::size_t last = a == b ? u + 1 : p;
                        for (std::size_t t = 0; t < last; ++t) row[t] += vx * x[t];
                    }
                }
            }
        }
        for (std::size_t a = 0; a < m_; ++a)
            for (std::size_t u = 0; u < p; ++u) {
                const std::size_t i = a * p + u;
                sum -= 0.5 * prior_precision(u) * w[i] * w[i];
                gradient_[i] -= prior_precision(u) * w[i];
                hessian_[i * k + i] += prior_precision(u);
            }
        return sum;
    }

    const Family& family_;
    std::size_t m_;
    std::vector<double> contrast_;
    double precision_;
    std::vector<double> pi_, mean_, spread_, residual_, gradient_, hessian_;
};

double evidence_of(const Dataset& data, const Blanket& blanket, bool interactions, double scale) {
    const Family family = count_family(data, blanket);
    const std::size_t width = blanket.members.size();
    if (family.n == 0 || family.states < 2) return 0.0;
    std::vector<Block> effects;
    Block design{1, std::vector<double>(family.n, 1.0)};
    for (std::size_t m = 0; m < width; ++m) {
        effects.push_back(effect(family, width, m, data.columns[blanket.members[m]].arity));
        design = beside(design, effects.back(), family.n);
    }
    Model model(family, scale);
    const std::size_t classes = family.states - 1;
    std::vector<double> weights(classes * design.width, 0.0);
    double best = model.fit(design, weights);
    int products = 0;
    std::vector<Block> left;
    if (interactions)
        for (std::size_t a = 0; a < width; ++a)
            for (std::size_t b = a + 1; b < width; ++b) left.push_back(product(effects[a], effects[b], family.n));
    // Products are added in the order of what they promise, until one does not keep it. Each pays for having been chosen
    // among so many.
    const double price = std::log(1.0 + static_cast<double>(left.size()));
    while (!left.empty()) {
        const Cholesky information = model.information(design, weights);
        std::size_t chosen = 0;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < left.size(); ++i) {
            const double worth = model.promise(design, left[i], weights, information);
            if (worth > most) {
                most = worth;
                chosen = i;
            }
        }
        if (!(most > price - kDoubt)) break;
        const Block wider = beside(design, left[chosen], family.n);
        std::vector<double> at(classes * wider.width, 0.0);
        for (std::size_t a = 0; a < classes; ++a)
            std::copy_n(weights.data() + a * design.width, design.width, at.data() + a * wider.width);
        const double found = model.fit(wider, at) - price * ++products;
        if (!(found > best)) break;
        best = found;
        design = wider;
        weights = std::move(at);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    return best;
}

}  // namespace

void logistic_evidence(const Dataset& data, bool interactions, double scale, const std::vector<Blanket>& blankets,
                       unsigned threads, double* out) {
    in_parallel(blankets.size(), threads, [&](std::size_t i, unsigned) { out[i] = evidence_of(data, blankets[i], interactions, scale); });
}

}  // namespace graphoid
