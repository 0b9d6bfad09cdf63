#include "scores/gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "counting/limits.hpp"
#include "counting/parallel.hpp"
#include "counting/streams.hpp"

namespace graphoid {

namespace {

// The sum of logarithms of positive numbers, most of them taken together.
class SumOfLogs {
public:
    void add(double value) {
        product_ *= value;
        if (product_ > 1e150 || product_ < 1e-150) {
            sum_ += std::log(product_);
            product_ = 1;
        }
    }
    double total() const { return sum_ + std::log(product_); }

private:
    double sum_ = 0, product_ = 1;
};

// The lower factor of a symmetric matrix of k rows, in place, but with 1 / d for every d on its diagonal; returns the logarithm of
// the determinant.
double factorize(std::vector<double>& a, std::size_t k) {
    SumOfLogs roots;
    for (std::size_t i = 0; i < k; ++i) {
        double* const row = a.data() + i * k;
        double left = row[i];
        for (std::size_t j = 0; j < i; ++j) {
            const double* const other = a.data() + j * k;
            double shared = row[j];
            for (std::size_t l = 0; l < j; ++l) shared -= row[l] * other[l];
            row[j] = shared * other[j];
            left -= row[j] * row[j];
        }
        const double root = std::sqrt(std::max(left, 1e-300));
        roots.add(root);
        row[i] = 1 / root;
    }
    return 2 * roots.total();
}

// right := L^-1 right, for q sides beside each other.
void solve_lower(const std::vector<double>& factor, std::size_t k, std::vector<double>& right, std::size_t q) {
    for (std::size_t i = 0; i < k; ++i) {
        double* const mine = right.data() + i * q;
        for (std::size_t l = 0; l < i; ++l) {
            const double weight = factor[i * k + l], *const before = right.data() + l * q;
            for (std::size_t s = 0; s < q; ++s) mine[s] -= weight * before[s];
        }
        for (std::size_t s = 0; s < q; ++s) mine[s] *= factor[i * k + i];
    }
}

constexpr std::size_t kTogether = 8;  // numbers: lines of matrices are padded to so many, and loops over them stay short

// The inverse of the factor, a line of `width` numbers for each of its own.
void invert_lower(const std::vector<double>& factor, std::size_t k, std::vector<double>& inverse, std::size_t width) {
    inverse.assign(k * width, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        double* const mine = inverse.data() + i * width;
        for (std::size_t l = 0; l < i; ++l) {
            const double weight = factor[i * k + l], *const before = inverse.data() + l * width;
            for (std::size_t s = 0; s <= l; s += kTogether)
                for (std::size_t t = 0; t < kTogether; ++t) mine[s + t] -= weight * before[s + t];
        }
        mine[i] = 1.0;
        for (std::size_t s = 0; s <= i; ++s) mine[s] *= factor[i * k + i];
    }
}

}  // namespace

double LinearEvidence::operator()(int x, const std::vector<int>& members) {
    const std::size_t q = moments_.size(x), own = moments_.first[static_cast<std::size_t>(x)];
    columns_.clear();
    for (const int v : members)
        for (std::size_t i = 0; i < moments_.size(v); ++i) columns_.push_back(moments_.first[static_cast<std::size_t>(v)] + i);
    const std::size_t k = columns_.size();
    if (k == 0 || q == 0) return 0.0;
    factor_.resize(k * k);
    right_.resize(k * q);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j <= i; ++j) factor_[i * k + j] = moments_.rows * moments_(columns_[i], columns_[j]) + (i == j ? precision_ : 0.0);
        for (std::size_t s = 0; s < q; ++s) right_[i * q + s] = moments_.rows * moments_(columns_[i], own + s);
    }
    const double log_determinant = factorize(factor_, k) - static_cast<double>(k) * std::log(precision_);
    solve_lower(factor_, k, right_, q);
    left_.resize(q * q);
    inverse_.resize(q * q);
    for (std::size_t s = 0; s < q; ++s)
        for (std::size_t t = 0; t <= s; ++t) {
            double explained = 0;
            for (std::size_t i = 0; i < k; ++i) explained += right_[i * q + s] * right_[i * q + t];
            inverse_[s * q + t] = moments_(own + s, own + t);
            left_[s * q + t] = moments_(own + s, own + t) - explained / moments_.rows;
        }
    if (!(moments_.rows > 0) || !(inverse_[0] > 0)) return 0.0;
    const double whole = factorize(inverse_, q), unexplained = factorize(left_, q);
    const double free = std::max(0.0, moments_.rows - 1);
    const double term = -0.5 * static_cast<double>(q) * log_determinant - 0.5 * free * (unexplained - whole);
    return moment_ ? term + moment_of_members(k, q, members) : term;
}

// What the prior's moments add: the logarithm of the mean square of the effects of every member, in prior variances.
double LinearEvidence::moment_of_members(std::size_t k, std::size_t q, const std::vector<int>& members) {
    const std::size_t width = (k + kTogether - 1) / kTogether * kTogether;
    invert_lower(factor_, k, inverse_, width);
    variances_.assign(k, 0.0);
    effects_.assign(k * q, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        const double* const line = inverse_.data() + i * width;
        for (std::size_t j = 0; j <= i; ++j) variances_[j] += line[j] * line[j];
        for (std::size_t j = 0; j <= i; ++j)
            for (std::size_t s = 0; s < q; ++s) effects_[j * q + s] += line[j] * right_[i * q + s];
    }
    SumOfLogs sum;
    std::size_t first = 0;
    for (const int v : members) {
        const std::size_t end = first + moments_.size(v);
        double squares = 0;
        for (std::size_t j = first; j < end; ++j) {
            double* const effects = effects_.data() + j * q;
            for (std::size_t s = 0; s < q; ++s) {  // in units of what is left of x
                for (std::size_t t = 0; t < s; ++t) effects[s] -= left_[s * q + t] * effects[t];
                effects[s] *= left_[s * q + s];
                squares += effects[s] * effects[s];
            }
            squares += static_cast<double>(q) * variances_[j];
        }
        sum.add(squares * precision_ / static_cast<double>(q * (end - first)));
        first = end;
    }
    return sum.total();
}

void gaussian_terms(const Moments& moments, double precision, bool moment, const std::vector<Blanket>& blankets, unsigned threads, double* out) {
    std::vector<LinearEvidence> evidence(n_workers(blankets.size(), threads), LinearEvidence(moments, precision, moment));
    in_parallel(blankets.size(), threads, [&](std::size_t i, unsigned thread) { out[i] = evidence[thread](blankets[i].x, blankets[i].members); });
}

namespace {

// A chain of graphs.
class Chain {
public:
    Chain(const Moments& moments, const GraphSampling& settings)
        : moments_(moments), settings_(settings), n_(static_cast<int>(moments.first.size()) - 1), evidence_(moments, settings.precisions[settings.start], true),
          blankets_(static_cast<std::size_t>(n_)), terms_(static_cast<std::size_t>(n_), 0.0), known_(std::size_t{1} << kKnownBits), chosen_(settings.start) {}

    SampledGraphs run() {
        const std::size_t n_pairs = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_ - 1) / 2;
        SampledGraphs found;
        found.probabilities.assign(n_pairs, 0.0);
        found.log_odds.assign(n_pairs, 0.0);
        for (std::size_t sweep = 0; sweep < settings_.sweeps; ++sweep) {
            const bool kept = sweep >= settings_.burn_in;
            std::size_t pair = 0;
            for (int x = 0; x < n_; ++x) {
                check_time();
                for (int y = x + 1; y < n_; ++y, ++pair) {
                    const double odds = visit(x, y, static_cast<double>(n_pairs));
                    if (!kept) continue;
                    found.probabilities[pair] += 1 / (1 + std::exp(-odds));
                    found.log_odds[pair] += odds;
                }
            }
            draw_precision();
            if (!kept) continue;
            found.density += static_cast<double>(edges_) / static_cast<double>(n_pairs);
            found.log_precision += std::log(evidence_.precision());
        }
        const double sweeps = static_cast<double>(settings_.sweeps - settings_.burn_in);
        for (double& p : found.probabilities) p /= sweeps;
        for (double& odds : found.log_odds) odds /= sweeps;
        found.density /= sweeps;
        found.log_precision /= sweeps;
        return found;
    }

private:
    double uniform() { return stream_uniform(settings_.key, counter_++); }

    static void flip(std::vector<int>& blanket, int v) {
        const auto at = std::lower_bound(blanket.begin(), blanket.end(), v);
        if (at != blanket.end() && *at == v)
            blanket.erase(at);
        else
            blanket.insert(at, v);
    }

    // The evidence of a variable given its blanket at the precision as it is. Chains come by the same blankets again: of those with
    // the same hash, the last one is known.
    double evidence(int x) {
        const std::vector<int>& blanket = blankets_[static_cast<std::size_t>(x)];
        std::uint64_t hash = static_cast<std::uint64_t>(x) * settings_.precisions.size() + chosen_;
        for (const int v : blanket) hash = (hash + static_cast<std::uint64_t>(v) + 1) * 0x9E3779B97F4A7C15u;
        Known& known = known_[hash >> (64 - kKnownBits)];
        if (known.x != x || known.precision != chosen_ || known.blanket != blanket) {
            known.x = x;
            known.precision = chosen_;
            known.blanket = blanket;
            known.value = evidence_(x, blanket);
        }
        return known.value;
    }

    // Draws whether two variables are joined, and returns the log odds of it.
    double visit(int x, int y, double n_pairs) {
        std::vector<int>&bx = blankets_[static_cast<std::size_t>(x)], &by = blankets_[static_cast<std::size_t>(y)];
        const bool joined = std::binary_search(bx.begin(), bx.end(), y);
        const double u = uniform();
        flip(bx, y);
        flip(by, x);
        if (!joined && (width(bx) > settings_.most_columns || width(by) > settings_.most_columns)) {
            flip(bx, y);
            flip(by, x);
            return -kSure;
        }
        const double at_x = evidence(x), at_y = evidence(y);
        const double gained = (at_x - terms_[static_cast<std::size_t>(x)]) + (at_y - terms_[static_cast<std::size_t>(y)]);
        const double others = static_cast<double>(edges_) - (joined ? 1 : 0);
        const double odds = std::clamp(0.5 * (joined ? -gained : gained) + std::log((others + 1) / (n_pairs - others)), -kSure, kSure);
        if ((u < 1 / (1 + std::exp(-odds))) != joined) {
            terms_[static_cast<std::size_t>(x)] = at_x;
            terms_[static_cast<std::size_t>(y)] = at_y;
            edges_ = joined ? edges_ - 1 : edges_ + 1;
        } else {
            flip(bx, y);
            flip(by, x);
        }
        return odds;
    }

    std::size_t width(const std::vector<int>& blanket) const {
        std::size_t columns = 0;
        for (const int v : blanket) columns += moments_.size(v);
        return columns;
    }

    void draw_precision() {
        std::vector<double> weights;
        for (std::size_t i = 0; i < settings_.precisions.size(); ++i) {
            choose(i);
            double sum = 0;
            for (int x = 0; x < n_; ++x) sum += evidence(x);
            weights.push_back(0.5 * sum);
        }
        const double most = *std::max_element(weights.begin(), weights.end());
        double total = 0;
        for (double& weight : weights) total += weight = std::exp(weight - most);
        double left = uniform() * total;
        std::size_t chosen = 0;
        while (chosen + 1 < weights.size() && left >= weights[chosen]) left -= weights[chosen++];
        choose(chosen);
        for (int x = 0; x < n_; ++x) terms_[static_cast<std::size_t>(x)] = evidence(x);
    }

    void choose(std::size_t precision) {
        chosen_ = precision;
        evidence_.set_precision(settings_.precisions[precision]);
    }

    struct Known {
        int x = -1;
        std::size_t precision = 0;
        std::vector<int> blanket{};
        double value = 0;
    };

    static constexpr int kKnownBits = 14;
    static constexpr double kSure = 700;  // log odds beyond which probabilities are 0 or 1
    const Moments& moments_;
    const GraphSampling& settings_;
    int n_;
    LinearEvidence evidence_;
    std::vector<std::vector<int>> blankets_;
    std::vector<double> terms_;
    std::vector<Known> known_;
    std::size_t chosen_;  // of the precisions
    std::size_t edges_ = 0;
    std::uint64_t counter_ = 0;
};

}  // namespace

SampledGraphs sample_graphs(const Moments& moments, const GraphSampling& settings) { return Chain(moments, settings).run(); }

}  // namespace graphoid
