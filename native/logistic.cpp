// Multinomial logistic models of a variable given its blanket, fitted to counts by Newton's method.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "blankets.hpp"
#include "parallel.hpp"

namespace graphoid {

namespace {

constexpr int kMostSteps = 60;
constexpr double kGain = 1e-10;      // what a step may still be worth when the search for the maximum ends
constexpr double kDoubt = 0.5;       // a product is fitted even if it promises a little less than its price: a promise is rough
constexpr double kAliased = 1e-9;    // a parameter of which so little is left is a combination of those before it

// Which columns of ones and zeros are 1 in each configuration: the constant, a column for every state of a member
// but its first, and a column for every pair of such states of an interaction.
struct Design {
    std::size_t columns = 1;
    std::vector<std::vector<std::uint32_t>> active;  // of each configuration

    explicit Design(std::size_t configurations) : active(configurations, {0}) {}

    void add(const Family& family, std::size_t width, std::size_t member, std::uint32_t arity) {
        for (std::size_t c = 0; c < family.n; ++c) {
            const std::uint32_t state = family.members[c * width + member];
            if (state > 0) active[c].push_back(static_cast<std::uint32_t>(columns) + state - 1);
        }
        columns += arity - 1;
    }
    void add(const Family& family, std::size_t width, std::size_t a, std::uint32_t arity_a, std::size_t b, std::uint32_t arity_b) {
        for (std::size_t c = 0; c < family.n; ++c) {
            const std::uint32_t s = family.members[c * width + a], t = family.members[c * width + b];
            if (s > 0 && t > 0) active[c].push_back(static_cast<std::uint32_t>(columns) + (s - 1) * (arity_b - 1) + t - 1);
        }
        columns += static_cast<std::size_t>(arity_a - 1) * (arity_b - 1);
    }
};

// Cholesky factor of a symmetric matrix that may be singular (row-major, lower triangle used and overwritten):
// components that depend on earlier ones are left out.
class Factor {
public:
    Factor(std::vector<double>&& h, std::size_t k) : Factor(std::move(h), k, nullptr) {}
    // `diagonal`: what that of the matrix was before something was taken off it
    Factor(std::vector<double>&& h, std::size_t k, const double* diagonal) : h_(std::move(h)), k_(k), aliased_(k, false) {
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

private:
    std::vector<double> h_;
    std::size_t k_;
    std::vector<bool> aliased_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

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
            const Factor factor(std::vector<double>(hessian_), k);
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

    // What the columns that `wider` has beyond the model fitted last promise: Rao's score statistic, about twice the
    // log-likelihood to be gained. One pass and no climb. No configuration may have more than one of the new columns.
    double promise(const Design& wider, std::size_t before, const std::vector<double>& weights, const Factor& information) {
        const std::size_t added = wider.columns - before, k = classes_ * before, q = classes_ * added;
        std::vector<double> gradient(q, 0.0), own(q * q, 0.0), cross(q * k, 0.0);
        for (std::size_t c = 0; c < family_.n; ++c) {
            const std::uint32_t* active = wider.active[c].data();
            const std::size_t old = wider.active[c].size() - 1;
            if (active[old] < before) continue;
            const std::size_t u = active[old] - before;
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
        Factor(std::move(own), q, diagonal.data()).forward(gradient.data(), d.data());
        return dot(d, d);
    }

    // Of a model just fitted.
    Factor information(const Design& design, const std::vector<double>& weights) {
        evaluate(design, weights);
        return Factor(std::vector<double>(hessian_), classes_ * design.columns);
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
            const std::vector<std::uint32_t>& active = design.active[c];
            sum += probabilities(c, active.data(), active.size(), p, w);
            for (std::size_t a = 0; a < classes_; ++a) {
                const double residual = family_.counts[c * family_.states + a + 1] - totals_[c] * pi_[a];
                for (const std::uint32_t u : active) gradient_[a * p + u] += residual;
                for (std::size_t b = 0; b <= a; ++b) {
                    const double v = spread(c, a, b);
                    for (const std::uint32_t u : active) {
                        double* row = hessian_.data() + (a * p + u) * k + b * p;
                        for (const std::uint32_t t : active) {
                            if (a == b && t > u) break;  // columns are active in ascending order
                            row[t] += v;
                        }
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
    if (family.n == 0 || classes == 0) return {0.0, 0.0};
    std::vector<std::uint32_t> arities;
    for (const int v : blanket.members) arities.push_back(data.columns[v].arity);
    Design design(family.n);
    for (std::size_t m = 0; m < width; ++m) design.add(family, width, m, arities[m]);
    Logistic model(family);
    std::vector<double> weights(classes * design.columns, 0.0);
    Fitted best{model.fit(design, weights), static_cast<double>(classes * design.columns)};
    std::vector<std::pair<std::size_t, std::size_t>> left;
    if (interactions)
        for (std::size_t a = 0; a < width; ++a)
            for (std::size_t b = a + 1; b < width; ++b) left.emplace_back(a, b);
    // Products are added in the order of what they promise for their price, until one does not keep it.
    while (!left.empty()) {
        const Factor information = model.information(design, weights);
        std::size_t chosen = 0;
        double most = -1;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto [a, b] = left[i];
            const double parameters = static_cast<double>(classes * (arities[a] - 1) * (arities[b] - 1));
            Design wider = design;
            wider.add(family, width, a, arities[a], b, arities[b]);
            const double worth = model.promise(wider, design.columns, weights, information) / 2 - price * parameters;
            if (i == 0 || worth > most) {
                most = worth;
                chosen = i;
            }
        }
        if (!(most > -kDoubt * price)) break;
        const auto [a, b] = left[chosen];
        Design wider = design;
        wider.add(family, width, a, arities[a], b, arities[b]);
        std::vector<double> at = widened(weights, classes, design.columns, wider.columns);
        const Fitted found{model.fit(wider, at), static_cast<double>(classes * wider.columns)};
        if (!(found.log_likelihood - best.log_likelihood > price * (found.parameters - best.parameters))) break;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
        best = found;
        design = std::move(wider);
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
