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

// Solves H d = g for a symmetric H that may be singular (row-major, lower triangle used and destroyed); components
// that depend on earlier ones are 0. Returns g' d.
double solve(std::vector<double>& h, const std::vector<double>& g, std::vector<double>& d) {
    const std::size_t k = g.size();
    std::vector<bool> aliased(k, false);
    for (std::size_t j = 0; j < k; ++j) {
        double* row = h.data() + j * k;
        const double whole = row[j];
        for (std::size_t i = 0; i < j; ++i) {
            if (aliased[i]) {
                row[i] = 0;
                continue;
            }
            const double* other = h.data() + i * k;
            double sum = row[i];
            for (std::size_t l = 0; l < i; ++l) sum -= row[l] * other[l];
            row[i] = sum / other[i];
        }
        double pivot = whole;
        for (std::size_t l = 0; l < j; ++l) pivot -= row[l] * row[l];
        aliased[j] = !(pivot > kAliased * whole) || !(pivot > 0);
        row[j] = aliased[j] ? 1.0 : std::sqrt(pivot);
    }
    for (std::size_t j = 0; j < k; ++j) {
        double sum = aliased[j] ? 0.0 : g[j];
        if (!aliased[j])
            for (std::size_t l = 0; l < j; ++l) sum -= h[j * k + l] * d[l];
        d[j] = sum / h[j * k + j];
    }
    for (std::size_t j = k; j-- > 0;) {
        if (aliased[j]) {
            d[j] = 0;
            continue;
        }
        d[j] /= h[j * k + j];
        for (std::size_t l = 0; l < j; ++l) d[l] -= h[j * k + l] * d[j];
    }
    double product = 0;
    for (std::size_t j = 0; j < k; ++j) product += g[j] * d[j];
    return product;
}

// Finds the maximum of the log-likelihood, from `weights` on ([class beyond the first][column]), and leaves it there.
class Logistic {
public:
    explicit Logistic(const Family& family) : family_(family), classes_(family.states - 1), totals_(family.n, 0.0) {
        for (std::size_t c = 0; c < family.n; ++c)
            for (std::uint32_t s = 0; s < family.states; ++s) totals_[c] += family.counts[c * family.states + s];
    }

    double fit(const Design& design, std::vector<double>& weights) {
        const std::size_t k = classes_ * design.columns;
        std::vector<double> gradient(k), hessian(k * k), step(k), tried(k);
        double reached = evaluate(design, weights, gradient, hessian);
        for (int steps = 0; steps < kMostSteps; ++steps) {
            const double promised = solve(hessian, gradient, step);
            if (!(promised > 2 * kGain)) return reached + std::max(0.0, promised) / 2;
            double size = 1, value;
            do {
                for (std::size_t i = 0; i < k; ++i) tried[i] = weights[i] + size * step[i];
                value = evaluate(design, tried, gradient, hessian);
                size /= 2;
            } while (!(value >= reached) && size > 1e-6);
            if (!(value >= reached)) return reached;
            reached = value;
            weights.swap(tried);
        }
        return reached;
    }

private:
    double evaluate(const Design& design, const std::vector<double>& w, std::vector<double>& gradient, std::vector<double>& hessian) {
        const std::size_t p = design.columns, k = classes_ * p;
        std::fill(gradient.begin(), gradient.end(), 0.0);
        std::fill(hessian.begin(), hessian.end(), 0.0);
        double sum = 0;
        std::vector<double>& pi = pi_;
        pi.resize(classes_);
        for (std::size_t c = 0; c < family_.n; ++c) {
            const std::vector<std::uint32_t>& active = design.active[c];
            const double* counts = family_.counts.data() + c * family_.states;
            double most = 0;
            for (std::size_t a = 0; a < classes_; ++a) {
                double eta = 0;
                for (const std::uint32_t u : active) eta += w[a * p + u];
                pi[a] = eta;
                most = std::max(most, eta);
            }
            double z = std::exp(-most);
            for (std::size_t a = 0; a < classes_; ++a) {
                if (counts[a + 1] > 0) sum += counts[a + 1] * pi[a];
                pi[a] = std::exp(pi[a] - most);
                z += pi[a];
            }
            sum -= totals_[c] * (most + std::log(z));
            for (std::size_t a = 0; a < classes_; ++a) pi[a] /= z;
            for (std::size_t a = 0; a < classes_; ++a) {
                const double residual = counts[a + 1] - totals_[c] * pi[a];
                for (const std::uint32_t u : active) gradient[a * p + u] += residual;
                for (std::size_t b = 0; b <= a; ++b) {
                    const double v = totals_[c] * (a == b ? pi[a] * (1 - pi[a]) : -pi[a] * pi[b]);
                    for (const std::uint32_t u : active) {
                        double* row = hessian.data() + (a * p + u) * k + b * p;
                        for (const std::uint32_t t : active) row[t] += v;
                    }
                }
            }
        }
        return sum;
    }

    const Family& family_;
    std::size_t classes_;
    std::vector<double> totals_, pi_;
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
    while (!left.empty()) {
        std::size_t chosen = left.size();
        double worth = 0;
        Fitted next = best;
        Design widest = design;
        std::vector<double> at;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto [a, b] = left[i];
            Design larger = design;
            larger.add(family, width, a, arities[a], b, arities[b]);
            std::vector<double> start = widened(weights, classes, design.columns, larger.columns);
            const Fitted found{model.fit(larger, start), static_cast<double>(classes * larger.columns)};
            const double gain = found.log_likelihood - best.log_likelihood - price * (found.parameters - best.parameters);
            if (gain > worth) {
                worth = gain;
                chosen = i;
                next = found;
                widest = std::move(larger);
                at = std::move(start);
            }
        }
        if (chosen == left.size()) break;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
        best = next;
        design = std::move(widest);
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
