// Logistic models of a variable given its blanket: main effects, and products of two members that are worth it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "counting/parallel.hpp"
#include "scores/blankets.hpp"
#include "scores/linear.hpp"
#include "scores/multinomial.hpp"
#include "scores/response.hpp"

namespace graphoid {

namespace {

constexpr int kMostSteps = 60;
constexpr double kGain = 1e-10;  // what a step may still be worth when the climb ends

// Columns of a model, the constant first.
struct Design {
    std::vector<const double*> columns;
    std::vector<std::uint32_t> ones;  // the columns that are 1, row by row, where all others are 0 and those are most
    std::vector<std::size_t> ends;    // of each row's

    std::size_t size() const { return columns.size(); }
    void append(const Columns& more) {
        for (std::size_t u = 0; u < more.width; ++u) columns.push_back(more[u]);
    }
    void list_ones(std::size_t rows) {
        double found = 0;
        for (const double* column : columns)
            for (std::size_t c = 0; c < rows; ++c) found += column[c];
        ones.clear();
        ends.clear();
        if (found > static_cast<double>(size() * rows) / 4) return;  // as many are multiplied at once
        for (std::size_t c = 0; c < rows; ++c) {
            for (std::size_t u = 0; u < size(); ++u)
                if (columns[u][c] != 0) ones.push_back(static_cast<std::uint32_t>(u));
            ends.push_back(ones.size());
        }
    }
};

// What a model is worth, and what it is expected to gain by more columns.
class Objective {
public:
    virtual ~Objective() = default;
    // Of the prior of a weight, by its column.
    virtual double precision(std::size_t column) const = 0;
    // `reached` at the best weights, `m` of them for each of the columns.
    virtual double worth(double reached, const Cholesky& information, std::size_t m, std::size_t columns) const = 0;
    // Of q more weights, which raise the log posterior by `gain` to second order.
    virtual double promise(double gain, const Cholesky& information, std::size_t q) const = 0;
    // What a product pays for having been chosen among so many.
    virtual double price(std::size_t products) const = 0;
    // By how much a promise may miss the price and still be tried: it is rough.
    virtual double doubt() const = 0;
    // Whether promises only shrink as products are added, so that only one that looks best is looked at again.
    virtual bool shrinking() const = 0;
};

// Maximum likelihood, which is a flat prior, less a price for every weight.
class PenalizedLikelihood final : public Objective {
public:
    explicit PenalizedLikelihood(double price) : price_(price) {}
    double precision(std::size_t) const override { return 0; }
    double worth(double reached, const Cholesky&, std::size_t m, std::size_t columns) const override {
        return reached - price_ * static_cast<double>(m * columns);
    }
    double promise(double gain, const Cholesky&, std::size_t q) const override { return 0.5 * gain - price_ * static_cast<double>(q); }
    double price(std::size_t) const override { return 0; }
    double doubt() const override { return 0.5 * price_; }
    bool shrinking() const override { return false; }

private:
    double price_;
};

// Marginal likelihood by Laplace's approximation, weights normal a priori.
class LaplaceEvidence final : public Objective {
public:
    explicit LaplaceEvidence(double scale) : precision_(1 / (scale * scale)) {}
    double precision(std::size_t column) const override { return column == 0 ? precision_ / (kConstant * kConstant) : precision_; }
    double worth(double reached, const Cholesky& information, std::size_t m, std::size_t columns) const override {
        double log_prior = 0;
        for (std::size_t u = 0; u < columns; ++u) log_prior += std::log(precision(u));
        return reached + 0.5 * (static_cast<double>(m) * log_prior - information.log_determinant());
    }
    double promise(double gain, const Cholesky& information, std::size_t q) const override {
        return 0.5 * (gain - information.log_determinant() + static_cast<double>(q) * std::log(precision_));
    }
    double price(std::size_t products) const override { return std::log(1.0 + static_cast<double>(products)); }
    double doubt() const override { return 1; }
    bool shrinking() const override { return true; }

private:
    static constexpr double kConstant = 5;  // standard deviation of the constant a priori, in those of the effects
    double precision_;
};

// Models of a response. Weights are [predictor][column].
class Model {
public:
    // `memory`: bytes that the matrices may take.
    Model(Response& response, Coding coding, const Objective& objective, const Simd& simd, double memory)
        : response_(response), coding_(coding), objective_(objective), simd_(simd), memory_(memory), m_(response.m), rows_(response.rows) {}

    // Climbs from `weights` to the best ones by Newton's method, and returns what the model is worth. Promises are about it then.
    double fit(const Design& design, std::vector<double>& weights) {
        const std::size_t k = m_ * design.size();
        reserve(3.0 * square(k) + square(design.size()));  // second derivatives, their factor, and the next ones
        std::vector<double> step(k), tried(k);
        design_ = design;
        if (coding_ == Coding::treatment) design_.list_ones(rows_);
        double reached = evaluate(weights);
        for (int steps = 0;; ++steps) {
            check_time();
            information_ = Cholesky(std::vector<double>(hessian_), k);
            information_.forward(gradient_.data(), step.data());
            const double promised = std::inner_product(step.begin(), step.end(), step.begin(), 0.0);
            if (!(promised > 2 * kGain) || steps == kMostSteps) return worth(reached + promised / 2);
            information_.backward(step.data());
            double size = 1, value;
            do {
                for (std::size_t i = 0; i < k; ++i) tried[i] = weights[i] + size * step[i];
                value = evaluate(tried);
                size /= 2;
            } while (!(value >= reached) && size > 1e-6);
            if (!(value >= reached)) {
                evaluate(weights);
                return worth(reached);
            }
            reached = value;
            weights.swap(tried);
        }
    }

    // By how much columns would raise what the fitted model is worth, to second order: one pass and no climb.
    double promise(const Columns& more) const {
        const std::size_t p = design_.size(), d = more.width, k = m_ * p, q = m_ * d;
        check_time();
        reserve(2.0 * square(k) + 2.0 * square(q) + static_cast<double>(k) * static_cast<double>(q));
        Design columns;
        columns.append(more);
        if (coding_ == Coding::treatment) columns.list_ones(rows_);
        std::vector<double> gradient(q, 0.0), cross(d * p), known(k * q), step(q), whole(q);
        for (std::size_t a = 0; a < m_; ++a) {
            slopes_along(columns, a, gradient.data() + a * d);
            for (std::size_t b = 0; b <= a; ++b) {
                std::fill(cross.begin(), cross.end(), 0.0);
                products(curvatures(a, b), columns, design_, false, cross.data());
                for (std::size_t u = 0; u < d; ++u)
                    for (std::size_t t = 0; t < p; ++t)
                        known[(b * p + t) * q + a * d + u] = known[(a * p + t) * q + b * d + u] = cross[u * p + t];
            }
        }
        information_.forward_each(known.data(), q);
        std::vector<double> own = curvature(columns);
        for (std::size_t i = 0; i < q; ++i) whole[i] = own[i * q + i] += objective_.precision(p);
        for (std::size_t l = 0; l < k; ++l) {
            if (q >= Cholesky::kLong) check_time();
            for (std::size_t i = 0; i < q; ++i)
                for (std::size_t j = 0; j <= i; ++j) own[i * q + j] -= known[l * q + i] * known[l * q + j];
        }
        // columns may say nothing new, unless a prior speaks of them, too
        const Cholesky factor(std::move(own), q, objective_.precision(p) > 0 ? nullptr : whole.data());
        factor.forward(gradient.data(), step.data());
        return objective_.promise(std::inner_product(step.begin(), step.end(), step.begin(), 0.0), factor, q);
    }

private:
    static double square(std::size_t n) { return static_cast<double>(n) * static_cast<double>(n); }

    void reserve(double numbers) const {
        if (8 * numbers > memory_) throw TooLarge(0, 8 * numbers);
    }

    double worth(double reached) const { return objective_.worth(reached, information_, m_, design_.size()); }

    const double* curvatures(std::size_t a, std::size_t b) const { return response_.curvatures[Response::at(a, b)]; }

    // out[i, j] += sum of weights[c] left[i][c] right[j][c] over rows c; with `lower`, all j <= i and maybe others.
    void products(const double* weights, const Design& left, const Design& right, bool lower, double* out) const {
        const std::size_t p = right.size();
        if (left.ends.empty() || right.ends.empty()) {
            // so many columns of the left side at once that the clock is looked at in time
            const std::size_t all = left.size(), most = std::max<std::size_t>(8, (std::size_t{1} << 29) / (p * rows_ + 1) / 8 * 8);
            for (std::size_t first = 0; first < all; first += most) {
                const std::size_t n = std::min(most, all - first), before = lower ? first : 0;
                if (all > most) check_time();
                if (before > 0) simd_.products(weights, left.columns.data() + first, n, right.columns.data(), before, false, rows_, out + first * p, p);
                simd_.products(weights, left.columns.data() + first, n, right.columns.data() + before, lower ? n : p, lower, rows_, out + first * p + before, p);
            }
            return;
        }
        std::size_t i = 0, first = 0;
        for (std::size_t c = 0; c < rows_; ++c) {
            for (; i < left.ends[c]; ++i)
                for (std::size_t j = first; j < (lower ? i + 1 : right.ends[c]); ++j) out[left.ones[i] * p + right.ones[j]] += weights[c];
            first = right.ends[c];
        }
    }

    void slopes_along(const Design& columns, std::size_t a, double* out) const {
        const double* constant = design_.columns[0];
        simd_.products(response_.residuals[a], &constant, 1, columns.columns.data(), columns.size(), false, rows_, out, columns.size());
    }

    // Minus the second derivatives of the log-likelihood along some columns, lower triangle.
    std::vector<double> curvature(const Design& columns) const {
        const std::size_t p = columns.size(), k = m_ * p;
        std::vector<double> h(k * k, 0.0), block(p * p);
        for (std::size_t a = 0; a < m_; ++a)
            for (std::size_t b = 0; b <= a; ++b) {
                std::fill(block.begin(), block.end(), 0.0);
                products(curvatures(a, b), columns, columns, true, block.data());
                for (std::size_t u = 0; u < p; ++u)
                    for (std::size_t t = 0; t <= u; ++t)
                        h[(a * p + u) * k + b * p + t] = h[(a * p + t) * k + b * p + u] = block[u * p + t];
            }
        return h;
    }

    // Log-likelihood and log prior (without its constant); gradient and minus second derivatives on the way.
    double evaluate(const std::vector<double>& w) {
        const std::size_t p = design_.size(), k = m_ * p;
        for (std::size_t a = 0; a < m_; ++a) simd_.combine(design_.columns.data(), p, w.data() + a * p, rows_, response_.predictors[a]);
        double sum = response_.evaluate();
        gradient_.assign(k, 0.0);
        for (std::size_t a = 0; a < m_; ++a) slopes_along(design_, a, gradient_.data() + a * p);
        hessian_ = curvature(design_);
        for (std::size_t a = 0; a < m_; ++a)
            for (std::size_t u = 0; u < p; ++u) {
                const std::size_t i = a * p + u;
                const double precision = objective_.precision(u);
                sum -= 0.5 * precision * w[i] * w[i];
                gradient_[i] -= precision * w[i];
                hessian_[i * k + i] += precision;
            }
        return sum;
    }

    Response& response_;
    Coding coding_;
    const Objective& objective_;
    const Simd& simd_;
    double memory_;
    std::size_t m_, rows_;
    std::vector<double> gradient_, hessian_;
    Design design_;
    Cholesky information_{{}, 0};
};

Columns main_effect(const Family& family, std::size_t members, std::size_t member, std::uint32_t arity, Coding coding, std::size_t rows) {
    const std::vector<double> code = code_states(coding, arity);
    Columns columns(arity - 1, rows);
    for (std::size_t i = 0; i < family.n; ++i)
        for (std::size_t u = 0; u < columns.width; ++u)
            columns[u][i] = code[static_cast<std::size_t>(family.members[i * members + member]) * columns.width + u];
    return columns;
}

// A product of two members, and what it promised when it was last looked at.
struct Product {
    const Columns *a, *b;
    double promise;
    std::size_t seen;  // how many had been added then

    Columns columns() const {
        Columns columns(a->width * b->width, a->rows);
        for (std::size_t s = 0; s < a->width; ++s)
            for (std::size_t t = 0; t < b->width; ++t) {
                double* to = columns[s * b->width + t];
                for (std::size_t i = 0; i < a->rows; ++i) to[i] = (*a)[s][i] * (*b)[t][i];
            }
        return columns;
    }
};

// What the best model is worth: main effects and products of two members, added in the order of what they promise until one
// does not keep it.
double best_model(const std::vector<Columns>& effects, const Columns& constant, bool interactions, Response& response,
                  Coding coding, const Objective& objective, const Simd& simd, double memory) {
    Model model(response, coding, objective, simd, memory);
    Design design;
    design.append(constant);
    for (const Columns& effect : effects) design.append(effect);
    std::vector<double> weights(response.m * design.size(), 0.0);
    double best = model.fit(design, weights);
    std::vector<Product> left;
    for (std::size_t a = 0; interactions && a < effects.size(); ++a)
        for (std::size_t b = a + 1; b < effects.size(); ++b) {
            left.push_back({&effects[a], &effects[b], 0, 0});
            left.back().promise = model.promise(left.back().columns());
        }
    const double price = objective.price(left.size());
    std::vector<Columns> added;
    while (!left.empty()) {
        const auto chosen = std::max_element(left.begin(), left.end(), [](const Product& a, const Product& b) { return a.promise < b.promise; });
        if (!(chosen->promise > price - objective.doubt())) break;
        if (chosen->seen < added.size()) {
            chosen->promise = model.promise(chosen->columns());
            chosen->seen = added.size();
            continue;
        }
        added.push_back(chosen->columns());  // its numbers stay where they are
        left.erase(chosen);
        Design wider = design;
        wider.append(added.back());
        std::vector<double> at(response.m * wider.size(), 0.0);
        for (std::size_t a = 0; a < response.m; ++a)
            std::copy_n(weights.data() + a * design.size(), design.size(), at.data() + a * wider.size());
        const double found = model.fit(wider, at) - price * static_cast<double>(added.size());
        if (!(found > best)) break;
        best = found;
        design = std::move(wider);
        weights = std::move(at);
        if (!objective.shrinking())
            for (Product& product : left) {
                product.promise = model.promise(product.columns());
                product.seen = added.size();
            }
    }
    return best;
}

double fit_blanket(const Dataset& data, const Blanket& blanket, bool interactions, Coding coding, const Objective& objective, double memory) {
    const Family family = count_family(data, blanket);
    if (family.states < 2) return 0.0;
    const std::size_t width = blanket.members.size(), rows = (family.n + 7) / 8 * 8;
    Columns constant(1, rows);
    std::fill_n(constant[0], family.n, 1.0);
    std::vector<Columns> effects;
    for (std::size_t i = 0; i < width; ++i)
        effects.push_back(main_effect(family, width, i, data.columns[blanket.members[i]].arity, coding, rows));
    const double curvatures = 4.0 * family.states * family.states * static_cast<double>(rows);  // bytes
    if (curvatures > memory) throw TooLarge(0, curvatures);
    MultinomialLogit response(family, coding, rows, data.simd);
    return best_model(effects, constant, interactions, response, coding, objective, data.simd, memory - curvatures);
}

}  // namespace

void logistic_terms(const Dataset& data, const LogisticSettings& settings, const std::vector<Blanket>& blankets, unsigned threads,
                    double* out) {
    const PenalizedLikelihood likelihood(settings.price);
    const LaplaceEvidence evidence(settings.scale);
    const bool flat = std::isinf(settings.scale);
    const Objective& objective = flat ? static_cast<const Objective&>(likelihood) : evidence;
    const auto fit = [&](std::size_t i, double memory) {
        out[i] = fit_blanket(data, blankets[i], settings.interactions, flat ? Coding::treatment : Coding::orthonormal, objective, memory);
    };
    const double memory = static_cast<double>(most_memory.load());
    std::vector<std::size_t> large;  // what does not fit beside others has the memory to itself
    std::mutex mutex;
    in_parallel(blankets.size(), threads, [&](std::size_t i, unsigned) {
        try {
            fit(i, memory / n_workers(blankets.size(), threads));
        } catch (const TooLarge&) {
            const std::lock_guard<std::mutex> lock(mutex);
            large.push_back(i);
        }
    });
    std::sort(large.begin(), large.end());
    for (const std::size_t i : large) try {
            fit(i, memory);
        } catch (const TooLarge& e) {
            throw TooLarge(i, e.bytes);
        }
}

}  // namespace graphoid
