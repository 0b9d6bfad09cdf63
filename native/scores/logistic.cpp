// Multinomial logistic models of a variable given its blanket, fitted to counts by Newton's method.
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
constexpr double kGain = 1e-10;      // what a step may still be worth when the search for the maximum ends
constexpr double kDoubt = 0.5;       // a product is fitted even if it promises a little less than its price: a promise is rough

// New columns for states of a member (but its first), or for pairs of such states of two members: for each
// configuration which of them is 1, or none.
struct Columns {
    static constexpr std::uint32_t kNone = ~0u;
    std::uint32_t n = 0;
    std::vector<std::uint32_t> of;

    Columns(const Family& family, std::size_t width, std::size_t member, std::uint32_t arity) : n(arity - 1), of(family.n) {
        for (std::size_t c = 0; c < family.n; ++c) of[c] = family.members[c * width + member] - 1u;  // kNone for state 0
    }
    Columns(const Columns& a, const Columns& b) : n(a.n * b.n), of(a.of.size()) {
        for (std::size_t c = 0; c < of.size(); ++c) of[c] = a.of[c] == kNone || b.of[c] == kNone ? kNone : a.of[c] * b.n + b.of[c];
    }
};

// Which columns of ones and zeros are 1 in each configuration: the constant, and those added to it.
struct Design {
    std::uint32_t columns = 1;
    std::size_t stride = 1;                 // room for so many in a configuration
    std::vector<std::uint32_t> active;      // [configuration][place], in ascending order
    std::vector<std::uint32_t> n_active;    // of each configuration

    explicit Design(std::size_t configurations) : active(configurations, 0), n_active(configurations, 1) {}

    Design with(const Columns& more) const {
        Design wider(n_active.size());
        wider.stride = stride + 1;
        wider.n_active = n_active;
        wider.active.resize(n_active.size() * wider.stride);
        for (std::size_t c = 0; c < n_active.size(); ++c) {
            std::copy_n(active.data() + c * stride, n_active[c], wider.active.data() + c * wider.stride);
            if (more.of[c] != Columns::kNone) wider.active[c * wider.stride + wider.n_active[c]++] = columns + more.of[c];
        }
        wider.columns = columns + more.n;
        return wider;
    }
};

// A model of the counts of a family. Weights are [class beyond the first][column].
class Logistic {
public:
    explicit Logistic(const Family& family) : family_(family), classes_(family.states - 1), pi_(classes_), totals_(family.n, 0.0) {
        for (std::size_t c = 0; c < family.n; ++c)
            for (std::uint32_t s = 0; s < family.states; ++s) totals_[c] += family.counts[c * family.states + s];
    }

    // Climbs from `weights` to the maximum of the log-likelihood, which it returns.
    double fit(const Design& design, std::vector<double>& weights) {
        const std::size_t k = classes_ * design.columns;
        std::vector<double> step(k), tried(k);
        double reached = evaluate(design, weights);
        for (int steps = 0; steps < kMostSteps; ++steps) {
            const Cholesky factor(std::vector<double>(hessian_), k);
            factor.forward(gradient_.data(), step.data());
            const double promised = dot(step, step);
            if (!(promised > 2 * kGain)) return reached + promised / 2;
            factor.backward(step.data());
            double size = 1, value;
            do {
                for (std::size_t i = 0; i < k; ++i) tried[i] = weights[i] + size * step[i];
                value = evaluate(design, tried);
                size /= 2;
            } while (!(value >= reached) && size > 1e-6);
            if (!(value >= reached)) return reached;
            reached = value;
            weights.swap(tried);
        }
        return reached;
    }

    // What columns promise beyond a model that was fitted without them: Rao's score statistic, about twice the
    // log-likelihood to be gained. One pass and no climb.
    double promise(const Design& design, const Columns& more, const std::vector<double>& weights, const Cholesky& information) {
        const std::size_t before = design.columns, added = more.n, k = classes_ * before, q = classes_ * added;
        std::vector<double> gradient(q, 0.0), own(q * q, 0.0), cross(q * k, 0.0);
        for (std::size_t c = 0; c < family_.n; ++c) {
            const std::size_t u = more.of[c];
            if (u == Columns::kNone) continue;
            const std::uint32_t* active = design.active.data() + c * design.stride;
            const std::size_t old = design.n_active[c];
            probabilities(c, active, old, before, weights);
            for (std::size_t a = 0; a < classes_; ++a) {
                gradient[a * added + u] += family_.counts[c * family_.states + a + 1] - totals_[c] * pi_[a];
                for (std::size_t b = 0; b < classes_; ++b) {
                    const double v = spread(c, a, b);
                    own[(a * added + u) * q + b * added + u] += v;
                    double* row = cross.data() + (a * added + u) * k + b * before;
                    for (std::size_t t = 0; t < old; ++t) row[active[t]] += v;
                }
            }
        }
        std::vector<double> known(q * k), diagonal(q), d(q);
        for (std::size_t i = 0; i < q; ++i) information.forward(cross.data() + i * k, known.data() + i * k);
        for (std::size_t i = 0; i < q; ++i) {
            diagonal[i] = own[i * q + i];
            for (std::size_t j = 0; j <= i; ++j)
                for (std::size_t l = 0; l < k; ++l) own[i * q + j] -= known[i * k + l] * known[j * k + l];
        }
        Cholesky(std::move(own), q, diagonal.data()).forward(gradient.data(), d.data());
        return dot(d, d);
    }

    // Of a model just fitted.
    Cholesky information(const Design& design, const std::vector<double>& weights) {
        evaluate(design, weights);
        return Cholesky(std::vector<double>(hessian_), classes_ * design.columns);
    }

private:
    // Probabilities of the classes in a configuration, to pi_; returns the log of what they were divided by.
    double probabilities(std::size_t c, const std::uint32_t* active, std::size_t n_active, std::size_t columns, const std::vector<double>& w) {
        double most = 0, counted = 0;
        for (std::size_t a = 0; a < classes_; ++a) {
            double eta = 0;
            for (std::size_t t = 0; t < n_active; ++t) eta += w[a * columns + active[t]];
            pi_[a] = eta;
            most = std::max(most, eta);
            const double count = family_.counts[c * family_.states + a + 1];
            if (count > 0) counted += count * eta;
        }
        double z = std::exp(-most);
        for (double& p : pi_) z += p = std::exp(p - most);
        for (double& p : pi_) p /= z;
        return counted - totals_[c] * (most + std::log(z));
    }

    double spread(std::size_t c, std::size_t a, std::size_t b) const {
        return totals_[c] * (a == b ? pi_[a] * (1 - pi_[a]) : -pi_[a] * pi_[b]);
    }

    // The log-likelihood; its gradient and minus its second derivatives (lower triangle) to gradient_ and hessian_.
    double evaluate(const Design& design, const std::vector<double>& w) {
        const std::size_t p = design.columns, k = classes_ * p;
        gradient_.assign(k, 0.0);
        hessian_.assign(k * k, 0.0);
        double sum = 0;
        for (std::size_t c = 0; c < family_.n; ++c) {
            const std::uint32_t* active = design.active.data() + c * design.stride;
            const std::uint32_t* end = active + design.n_active[c];
            sum += probabilities(c, active, design.n_active[c], p, w);
            for (std::size_t a = 0; a < classes_; ++a) {
                const double residual = family_.counts[c * family_.states + a + 1] - totals_[c] * pi_[a];
                for (const std::uint32_t* u = active; u < end; ++u) gradient_[a * p + *u] += residual;
                for (std::size_t b = 0; b <= a; ++b) {
                    const double v = spread(c, a, b);
                    for (const std::uint32_t* u = active; u < end; ++u) {
                        double* row = hessian_.data() + (a * p + *u) * k + b * p;
                        const std::uint32_t* last = a == b ? u + 1 : end;  // below the diagonal only
                        for (const std::uint32_t* t = active; t < last; ++t) row[*t] += v;
                    }
                }
            }
        }
        return sum;
    }

    const Family& family_;
    std::size_t classes_;
    std::vector<double> pi_, totals_, gradient_, hessian_;
};

// Weights of a design that has got more columns since, the new ones 0.
std::vector<double> widened(const std::vector<double>& weights, std::size_t classes, std::size_t before, std::size_t after) {
    std::vector<double> wide(classes * after, 0.0);
    for (std::size_t a = 0; a < classes; ++a)
        std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(a * before), before, wide.begin() + static_cast<std::ptrdiff_t>(a * after));
    return wide;
}

Fitted fit_blanket(const Dataset& data, const Blanket& blanket, bool interactions, double price) {
    const Family family = count_family(data, blanket);
    const std::size_t width = blanket.members.size(), classes = family.states - 1;
    if (classes == 0) return {0.0, 0.0};
    std::vector<Columns> effects;
    Design design(family.n);
    for (std::size_t m = 0; m < width; ++m) {
        effects.emplace_back(family, width, m, data.columns[blanket.members[m]].arity);
        design = design.with(effects.back());
    }
    Logistic model(family);
    std::vector<double> weights(classes * design.columns, 0.0);
    Fitted best{model.fit(design, weights), static_cast<double>(classes * design.columns)};
    std::vector<Columns> left;
    if (interactions)
        for (std::size_t a = 0; a < width; ++a)
            for (std::size_t b = a + 1; b < width; ++b) left.emplace_back(effects[a], effects[b]);
    // Products are added in the order of what they promise for their price, until one does not keep it.
    while (!left.empty()) {
        const Cholesky information = model.information(design, weights);
        std::size_t chosen = 0;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < left.size(); ++i) {
            const double worth = model.promise(design, left[i], weights, information) / 2 - price * static_cast<double>(classes * left[i].n);
            if (worth > most) {
                most = worth;
                chosen = i;
            }
        }
        if (!(most > -kDoubt * price)) break;
        const Design wider = design.with(left[chosen]);
        std::vector<double> at = widened(weights, classes, design.columns, wider.columns);
        const Fitted found{model.fit(wider, at), static_cast<double>(classes * wider.columns)};
        if (!(found.log_likelihood - best.log_likelihood > price * (found.parameters - best.parameters))) break;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
        best = found;
        design = wider;
        weights = std::move(at);
    }
    return best;
}

}  // namespace

void logistic_likelihoods(const Dataset& data, bool interactions, double price, const std::vector<Blanket>& blankets,
                          unsigned threads, Fitted* out) {
    in_parallel(blankets.size(), threads, [&](std::size_t i, unsigned) { out[i] = fit_blanket(data, blankets[i], interactions, price); });
}

}  // namespace graphoid
