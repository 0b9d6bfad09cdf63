// Logistic models of a variable given its blanket: main effects, and products of two members that are worth it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
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
constexpr double kGain = 1e-15;  // what a step may still be worth when the climb ends: determinants are off by its root
constexpr double kClose = 1e-7;  // what a step is worth so near the peak that it cannot lead astray, and rounding may hide it
constexpr std::size_t kAtOnce = 32;  // columns that are looked at together
constexpr double kNotable = 1.5;  // what squared slopes add up to, in their number: by chance 1, and evidence asks for several times that

// Columns that one predictor is made of.
struct Columned {
    std::vector<const double*> columns;
    std::vector<std::uint32_t> ones;  // the columns that are 1, row by row, where all others are 0 and those are most
    std::vector<std::size_t> ends;    // of each row's

    std::size_t size() const { return columns.size(); }
    bool operator==(const Columned& other) const { return columns == other.columns; }
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

// Columns of which predictors: those of a term from `first_column` on (before `end_column`), in those from `first` on.
struct Block {
    const Columns* columns;
    std::size_t first_column, end_column, first, end;
};

// A model: for every predictor its columns, the constant first. Weights are in the same order, predictor by predictor.
struct Design {
    std::vector<Columned> of;

    explicit Design(std::size_t predictors) : of(predictors) {}
    std::size_t size() const {
        std::size_t k = 0;
        for (const Columned& own : of) k += own.size();
        return k;
    }
    void append(const Block& block) {
        for (std::size_t a = block.first; a < block.end; ++a)
            for (std::size_t u = block.first_column; u < block.end_column; ++u) of[a].columns.push_back((*block.columns)[u]);
    }
    void list_ones(std::size_t rows) {
        for (Columned& own : of) own.list_ones(rows);
    }
};

// The columns of several candidates side by side, and which of them each one's are, in its own order.
struct Wider {
    Design columns;
    std::vector<std::vector<std::size_t>> places;
    std::size_t widest = 0;

    Wider(const std::vector<Design>& each, std::size_t predictors) : columns(predictors), places(each.size()) {
        std::size_t before = 0;
        for (std::size_t a = 0; a < predictors; ++a)
            for (std::size_t i = 0; i < each.size(); ++i)
                for (const double* column : each[i].of[a].columns) {
                    columns.of[a].columns.push_back(column);
                    places[i].push_back(before++);
                }
        for (const std::vector<std::size_t>& own : places) widest = std::max(widest, own.size());
    }
};

// What a model is worth, and what it is expected to gain by more columns.
class Objective {
public:
    virtual ~Objective() = default;
    // Of the prior of a weight, by its column.
    virtual double precision(std::size_t column) const = 0;
    // `reached` at the best weights, of which there are k, and m of them constants.
    virtual double worth(double reached, const Cholesky& information, std::size_t m, std::size_t k) const = 0;
    // Of q more weights, which raise the log posterior by `gain` to second order.
    virtual double promise(double gain, const Cholesky& information, std::size_t q) const = 0;
    // The most that any promise may be, of columns whose slopes have such a sum of squares.
    virtual double most_promise(double) const { return HUGE_VAL; }
    // What a product pays for having been chosen among so many.
    virtual double price(std::size_t products) const = 0;
    // By how much a promise may miss the price and still be tried: it is rough.
    virtual double doubt() const = 0;
    // Whether promises only shrink as products are added, so that only one that looks best is looked at again.
    virtual bool shrinking() const = 0;
    // What the prior of so many effects of one member adds, their squares adding up to so much in the mean.
    virtual double moment(double, std::size_t) const { return 0; }
    virtual bool has_moment() const { return false; }
};

// Maximum likelihood, which is a flat prior, less a price for every weight.
class PenalizedLikelihood final : public Objective {
public:
    explicit PenalizedLikelihood(double price) : price_(price) {}
    double precision(std::size_t) const override { return 0; }
    double worth(double reached, const Cholesky&, std::size_t, std::size_t k) const override {
        return reached - price_ * static_cast<double>(k);
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
    LaplaceEvidence(double scale, bool moment) : precision_(1 / (scale * scale)), moment_(moment) {}
    double precision(std::size_t column) const override { return column == 0 ? precision_ / (kConstant * kConstant) : precision_; }
    double worth(double reached, const Cholesky& information, std::size_t m, std::size_t k) const override {
        const double log_prior = static_cast<double>(m) * std::log(precision(0)) + static_cast<double>(k - m) * std::log(precision(1));
        return reached + 0.5 * (log_prior - information.log_determinant());
    }
    double promise(double gain, const Cholesky& information, std::size_t q) const override {
        return 0.5 * (gain - information.log_determinant() + static_cast<double>(q) * std::log(precision_));
    }
    // as if the data said nothing of the weights but their slopes
    double most_promise(double squared_slopes) const override { return 0.5 * squared_slopes / precision_; }
    double price(std::size_t products) const override { return std::log(1.0 + static_cast<double>(products)); }
    double doubt() const override { return 1; }
    bool shrinking() const override { return true; }
    double moment(double squares, std::size_t effects) const override { return std::log(squares * precision_ / static_cast<double>(effects)); }
    bool has_moment() const override { return moment_; }

private:
    static constexpr double kConstant = 5;  // standard deviation of the constant a priori, in those of the effects
    double precision_;
    bool moment_;
};

// Models of a response.
class Model {
public:
    // `memory`: bytes that the matrices may take.
    Model(Response& response, Coding coding, const Objective& objective, const Simd& simd, double memory)
        : response_(response), coding_(coding), objective_(objective), simd_(simd), memory_(memory), m_(response.m), rows_(response.rows), design_(m_) {}

    // Climbs from `weights` to the best ones by Newton's method, and returns what the model is worth. Promises are about it then.
    double fit(const Design& design, std::vector<double>& weights) {
        const std::size_t k = design.size();
        reserve(3.0 * square(k));  // second derivatives, their factor, and the next ones
        std::vector<double> step(k), tried(k);
        design_ = design;
        if (coding_ == Coding::treatment) design_.list_ones(rows_);
        // the peak of a flat prior may be infinitely far, and nothing is near it
        const double close = objective_.precision(1) > 0 ? kClose : 0;
        double reached = evaluate(weights);
        if (reached < response_.unexplained()) {  // codes far from normal: weights from linear discriminants may lead to the far side
            const std::vector<double> constants = response_.constants();
            std::fill(weights.begin(), weights.end(), 0.0);
            for (std::size_t a = 0, i = 0; a < m_; i += design_.of[a++].size()) weights[i] = constants[a];
            reached = evaluate(weights);
        }
        for (int steps = 0;; ++steps) {
            check_time();
            information_ = Cholesky(std::vector<double>(hessian_), k);
            information_.forward(gradient_.data(), step.data());
            const double promised = std::inner_product(step.begin(), step.end(), step.begin(), 0.0);
            information_.backward(step.data());
            if (steps == kMostSteps && promised > close) return worth(reached);  // far from the peak no step keeps what it promises
            if (!(promised > 2 * kGain) || steps == kMostSteps) {
                for (std::size_t i = 0; i < k; ++i) weights[i] += step[i];  // matters to moments, though not to the worth
                return worth(reached + promised / 2);
            }
            double size = 1, value;
            do {
                for (std::size_t i = 0; i < k; ++i) tried[i] = weights[i] + size * step[i];
                value = evaluate(tried);
                size /= 2;
            } while (!(value >= reached) && promised > close && size > 1e-6);
            if (!(value >= reached) && promised > close) {
                evaluate(weights);
                return worth(reached);
            }
            reached = value;
            weights.swap(tried);
        }
    }

    // Variances of the weights of the fitted model.
    std::vector<double> variances() const { return information_.inverse_diagonal(); }

    // By how much the columns of each of some candidates would raise what the fitted model is worth, to second order: no climb.
    std::vector<double> promises(std::vector<Design>& each) const {
        check_time();
        const std::size_t k = design_.size();
        Wider wider(each, m_);
        const std::size_t all = wider.columns.size();
        reserve(2.0 * square(k) + 2.0 * square(wider.widest) + 2.0 * static_cast<double>(k) * static_cast<double>(all));
        if (coding_ == Coding::treatment) {
            wider.columns.list_ones(rows_);
            for (Design& more : each) more.list_ones(rows_);
        }
        std::vector<double> slopes(all), squares(all), known = cross(wider.columns), found;
        along(wider.columns, slopes.data(), squares.data());
        information_.forward_each(known.data(), all);
        for (std::size_t i = 0; i < each.size(); ++i) {
            const std::vector<std::size_t>& at = wider.places[i];
            const bool single = at.size() == 1;
            found.push_back(promise(at, slopes, known, single ? std::vector<double>{squares[at[0]]} : curvature(each[i])));
        }
        return found;
    }

    // Whether columns may promise more than that, and look as if they could do more than chance: their slopes, each for itself, in
    // standard deviations.
    bool notable(const Design& more, double least) const {
        std::vector<double> slopes(more.size()), squares(more.size());
        along(more, slopes.data(), squares.data());
        if (!(objective_.most_promise(std::inner_product(slopes.begin(), slopes.end(), slopes.begin(), 0.0)) > least)) return false;
        double sum = 0;
        for (std::size_t i = 0; i < slopes.size(); ++i) sum += squares[i] > 0 ? slopes[i] * slopes[i] / squares[i] : 0.0;
        return sum > kNotable * static_cast<double>(slopes.size());
    }

    // The squares of the slopes along products of two columns of the first predictor, added up over the first `main` predictors:
    // a lower triangle, a line for every column.
    std::vector<double> squared_slopes_of_products(std::size_t main) const {
        const Columned& own = design_.of[0];
        std::vector<double> found(own.size() * own.size(), 0.0), slopes;
        for (std::size_t a = 0; a < main; ++a) {
            slopes.assign(found.size(), 0.0);
            products(response_.residuals[a], own, own, true, slopes.data());
            for (std::size_t i = 0; i < found.size(); ++i) found[i] += slopes[i] * slopes[i];
        }
        return found;
    }

private:
    static double square(std::size_t n) { return static_cast<double>(n) * static_cast<double>(n); }

    void reserve(double numbers) const {
        if (8 * numbers > memory_) throw TooLarge(0, 8 * numbers);
    }

    double worth(double reached) const { return objective_.worth(reached, information_, m_, design_.size()); }

    const double* curvatures(std::size_t a, std::size_t b) const { return response_.curvatures[Response::at(a, b)]; }

    // out[i, j] += sum of weights[c] left[i][c] right[j][c] over rows c; with `lower`, all j <= i and maybe others.
    void products(const double* weights, const Columned& left, const Columned& right, bool lower, double* out) const {
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

    // The promise of columns from their slopes, what they have in common with those of the model (as forward_each leaves it) and
    // their own curvature; `at` is where their numbers are.
    double promise(const std::vector<std::size_t>& at, const std::vector<double>& slopes, const std::vector<double>& known,
                   std::vector<double>&& own) const {
        const std::size_t k = design_.size(), q = at.size(), all = slopes.size();
        const double precision = objective_.precision(1);
        std::vector<double> gradient(q), step(q), whole(q);
        for (std::size_t i = 0; i < q; ++i) {
            gradient[i] = slopes[at[i]];
            whole[i] = own[i * q + i] += precision;
        }
        for (std::size_t l = 0; l < k; ++l) {
            if (q >= Cholesky::kLong) check_time();
            const double* line = known.data() + l * all;
            for (std::size_t i = 0; i < q; ++i)
                for (std::size_t j = 0; j <= i; ++j) own[i * q + j] -= line[at[i]] * line[at[j]];
        }
        // columns may say nothing new, unless a prior speaks of them, too
        const Cholesky factor(std::move(own), q, precision > 0 ? nullptr : whole.data());
        factor.forward(gradient.data(), step.data());
        return objective_.promise(std::inner_product(step.begin(), step.end(), step.begin(), 0.0), factor, q);
    }

    // Minus the second derivatives along a column of the model, a line each, and one of `more`.
    std::vector<double> cross(const Design& more) const {
        const std::size_t q = more.size();
        std::vector<double> found(design_.size() * q), block;
        for (std::size_t a = 0, i = 0; a < m_; i += more.of[a++].size())
            for (std::size_t b = 0, t = 0; b < m_; t += design_.of[b++].size()) {
                const std::size_t d = more.of[a].size(), p = design_.of[b].size();
                if (d == 0) continue;
                block.assign(d * p, 0.0);
                products(curvatures(a, b), more.of[a], design_.of[b], false, block.data());
                for (std::size_t u = 0; u < d; ++u)
                    for (std::size_t v = 0; v < p; ++v) found[(t + v) * q + i + u] = block[u * p + v];
            }
        return found;
    }

    // The derivatives of the log-likelihood along columns, and minus the second ones along each of them alone.
    void along(const Design& design, double* slopes, double* squares) const {
        for (std::size_t a = 0, i = 0; a < m_; i += design.of[a++].size()) {
            const std::vector<const double*>& own = design.of[a].columns;
            simd_.along(response_.residuals[a], curvatures(a, a), own.data(), own.size(), rows_, slopes + i, squares + i);
        }
    }

    std::vector<double> slopes_along(const Design& design) const {
        const double* constant = design_.of[0].columns[0];
        std::vector<double> out(design.size(), 0.0);
        for (std::size_t a = 0, i = 0; a < m_; i += design.of[a++].size()) {
            const std::vector<const double*>& own = design.of[a].columns;
            simd_.products(response_.residuals[a], &constant, 1, own.data(), own.size(), false, rows_, out.data() + i, own.size());
        }
        return out;
    }

    // Minus the second derivatives of the log-likelihood along some columns, lower triangle.
    std::vector<double> curvature(const Design& design) const {
        const std::size_t k = design.size();
        std::vector<double> h(k * k, 0.0), block;
        for (std::size_t a = 0, i = 0; a < m_; i += design.of[a++].size())
            for (std::size_t b = 0, j = 0; b <= a; j += design.of[b++].size()) {
                const std::size_t d = design.of[a].size(), p = design.of[b].size();
                const bool same = design.of[a] == design.of[b];
                block.assign(d * p, 0.0);
                products(curvatures(a, b), design.of[a], design.of[b], same, block.data());
                for (std::size_t u = 0; u < d; ++u)
                    for (std::size_t t = 0; t < (same ? u + 1 : p); ++t) {
                        h[(i + u) * k + j + t] = block[u * p + t];
                        if (same) h[(i + t) * k + j + u] = block[u * p + t];
                    }
            }
        return h;
    }

    // Log-likelihood and log prior (without its constant); gradient and minus second derivatives on the way.
    double evaluate(const std::vector<double>& w) {
        const std::size_t k = design_.size();
        for (std::size_t a = 0, i = 0; a < m_; i += design_.of[a++].size())
            simd_.combine(design_.of[a].columns.data(), design_.of[a].size(), w.data() + i, rows_, response_.predictors[a]);
        double sum = response_.evaluate();
        gradient_ = slopes_along(design_);
        hessian_ = curvature(design_);
        for (std::size_t a = 0, i = 0; a < m_; ++a)
            for (std::size_t u = 0; u < design_.of[a].size(); ++u, ++i) {
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

// What a member of the blanket brings: columns of numbers, of which the first `main` act from the start.
struct Effect {
    Columns columns;
    std::size_t main;
};

// What may be added to a model, and what it promised when it was last looked at: the product of two members, or, of one alone,
// effects beyond its main ones.
struct Candidate {
    const Effect *a, *b;
    double promise;
    std::size_t seen;  // how many had been added then
};

Columns product(const Effect& a, const Effect& b) {
    Columns columns(a.main * b.main, a.columns.rows);
    for (std::size_t s = 0; s < a.main; ++s)
        for (std::size_t t = 0; t < b.main; ++t) {
            double* to = columns[s * b.main + t];
            for (std::size_t i = 0; i < columns.rows; ++i) to[i] = a.columns[s][i] * b.columns[t][i];
        }
    return columns;
}

// What the best model is worth: main effects, and what is added to them in the order of what it promises until that does not
// keep it: products of two members, and effects of ordered states beyond the one of their order.
class BestModel {
public:
    // Main effects act on the first `main` predictors.
    BestModel(const std::vector<Effect>& effects, const Columns& constant, Response& response, std::size_t main, Coding coding,
              const Objective& objective, const Simd& simd, double memory)
        : effects_(effects), m_(response.m), main_(main), objective_(objective), model_(response, coding, objective, simd, memory), design_(m_) {
        design_.append({&constant, 0, 1, 0, m_});
        for (const Effect& effect : effects) design_.append({&effect.columns, 0, effect.main, 0, main_});
        const std::vector<std::vector<double>> start = response.start(design_.of[0].columns, main_, objective.precision(1));
        for (std::size_t a = 0; a < m_; ++a) start_.insert(start_.end(), start[a].data(), start[a].data() + design_.of[a].size());
    }

    double worth(bool interactions) {
        std::vector<double> weights = start_;
        double best = fit(design_, weights);
        find_candidates(interactions);
        const double price = objective_.price(n_candidates_);
        std::list<Columns> added;  // designs point to them
        while (!left_.empty()) {
            const auto chosen =
                std::max_element(left_.begin(), left_.end(), [](const Candidate& a, const Candidate& b) { return a.promise < b.promise; });
            if (!(chosen->promise > price - objective_.doubt())) break;
            if (chosen->seen < added.size()) {
                look_at(chosen, chosen + 1, added.size());
                continue;
            }
            Design wider = design_;
            added.push_back(append(*chosen, wider));
            left_.erase(chosen);
            std::vector<double> at = widen(weights, wider);
            const double found = fit(wider, at) - price * static_cast<double>(added.size());
            if (!(found > best)) break;
            best = found;
            design_ = std::move(wider);
            weights = std::move(at);
            if (!objective_.shrinking())
                look_at(left_.begin(), left_.end(), added.size());
        }
        return best;
    }

private:
    // What a model is worth, with what the moments of the main effects of every member add.
    double fit(const Design& design, std::vector<double>& weights) {
        double worth = model_.fit(design, weights);
        if (!objective_.has_moment() || effects_.empty()) return worth;
        const std::vector<double> variances = model_.variances();
        std::size_t first = 1;
        for (const Effect& effect : effects_) {
            double squares = 0;
            for (std::size_t a = 0, at = 0; a < main_; at += design.of[a++].size())
                for (std::size_t i = at + first; i < at + first + effect.main; ++i) squares += weights[i] * weights[i] + variances[i];
            worth += objective_.moment(squares, main_ * effect.main);
            first += effect.main;
        }
        return worth;
    }

    // Finds what may be added, without what cannot promise enough.
    void find_candidates(bool interactions) {
        const std::size_t n = effects_.size();
        n_candidates_ = interactions && n > 1 ? n * (n - 1) / 2 : 0;
        for (const Effect& effect : effects_) n_candidates_ += has_more(effect) ? 1 : 0;
        const double least = objective_.price(n_candidates_) - objective_.doubt();
        for (const Effect& effect : effects_) {
            if (!has_more(effect)) continue;
            Candidate beyond{&effect, nullptr, 0, 0};
            Design more(m_);
            append(beyond, more);
            if (model_.notable(more, least)) left_.push_back(beyond);
        }
        if (interactions && n > 1) find_products(least);
        look_at(left_.begin(), left_.end(), 0);
    }

    bool has_more(const Effect& effect) const { return main_ < m_ || effect.main < effect.columns.width; }

    void find_products(double least) {
        const std::vector<double> squares = model_.squared_slopes_of_products(main_);
        const std::size_t width = design_.of[0].size();
        std::vector<std::size_t> first{1};  // column of every effect
        for (const Effect& effect : effects_) first.push_back(first.back() + effect.main);
        for (std::size_t a = 0; a < effects_.size(); ++a)
            for (std::size_t b = a + 1; b < effects_.size(); ++b) {
                double sum = 0;
                for (std::size_t i = first[b]; i < first[b + 1]; ++i)
                    for (std::size_t j = first[a]; j < first[a + 1]; ++j) sum += squares[i * width + j];
                if (objective_.most_promise(sum) > least) left_.push_back({&effects_[a], &effects_[b], 0, 0});
            }
    }

    // Works out what candidates promise, of so many columns at once that they stay near.
    void look_at(std::vector<Candidate>::iterator first, std::vector<Candidate>::iterator end, std::size_t added) {
        while (first != end) {
            std::vector<Design> each;
            std::list<Columns> made;  // designs point to them
            const auto begin = first;
            for (std::size_t columns = 0; first != end && columns < kAtOnce; columns += each.back().size(), ++first) {
                each.emplace_back(m_);
                made.push_back(append(*first, each.back()));
            }
            const std::vector<double> found = model_.promises(each);
            for (auto candidate = begin; candidate != first; ++candidate) {
                candidate->promise = found[static_cast<std::size_t>(candidate - begin)];
                candidate->seen = added;
            }
        }
    }

    // Appends what a candidate adds to a design; returns the columns that were made for it.
    Columns append(const Candidate& candidate, Design& to) const {
        const Effect& effect = *candidate.a;
        if (candidate.b == nullptr) {
            to.append({&effect.columns, 0, effect.main, main_, m_});
            to.append({&effect.columns, effect.main, effect.columns.width, 0, m_});
            return Columns(0, 0);
        }
        Columns both = product(effect, *candidate.b);
        to.append({&both, 0, both.width, 0, main_});
        return both;  // its numbers stay where they are
    }

    // Weights with zeros for the columns that are new.
    std::vector<double> widen(const std::vector<double>& weights, const Design& wider) const {
        std::vector<double> at(wider.size(), 0.0);
        for (std::size_t a = 0, i = 0, j = 0; a < m_; i += design_.of[a].size(), j += wider.of[a].size(), ++a)
            std::copy_n(weights.data() + i, design_.of[a].size(), at.data() + j);
        return at;
    }

    const std::vector<Effect>& effects_;
    std::size_t m_, main_;
    const Objective& objective_;
    Model model_;
    Design design_;
    std::vector<double> start_;
    std::size_t n_candidates_ = 0;
    std::vector<Candidate> left_;
};

double fit_family(const Dataset& data, const LogisticSettings& settings, const Blanket& blanket, const Family& family, Coding coding,
                  const Objective& objective, double memory) {
    if (family.states < 2) return 0.0;
    const std::size_t width = blanket.members.size(), rows = (family.n + 7) / 8 * 8;
    Columns constant(1, rows);
    std::fill_n(constant[0], family.n, 1.0);
    const auto code_of = [&](int v, std::uint32_t states) {
        return settings.margins[v].empty() ? code_states(coding, states) : code_ordered(settings.margins[v]);
    };
    std::vector<Effect> effects;
    for (std::size_t i = 0; i < width; ++i) {
        const double* const scores = settings.scores[blanket.members[i]];
        if (scores != nullptr) {
            effects.push_back({Columns(1, rows), 1});
            for (std::size_t c = 0; c < family.n; ++c) effects.back().columns[0][c] = scores[family.rows[c]];
            continue;
        }
        const std::uint32_t states = data.columns[blanket.members[i]].states();
        const std::vector<double> code = code_of(blanket.members[i], states);
        effects.push_back({Columns(states - 1, rows), settings.margins[blanket.members[i]].empty() ? states - 1 : 1});
        Columns& columns = effects.back().columns;
        for (std::size_t c = 0; c < family.n; ++c)
            for (std::size_t u = 0; u < columns.width; ++u) columns[u][c] = code[family.members[c * width + i] * columns.width + u];
    }
    const double curvatures = 4.0 * family.states * family.states * static_cast<double>(rows);  // bytes
    if (curvatures > memory) throw TooLarge(0, curvatures);
    MultinomialLogit response(family, coding, code_of(blanket.x, family.states), rows, data.simd);
    const std::size_t main = settings.margins[blanket.x].empty() ? response.m : 1;
    return BestModel(effects, constant, response, main, coding, objective, data.simd, memory - curvatures).worth(settings.interactions);
}

// Calls `fit` for all blankets with the memory that each may take; what does not fit beside others has the memory to itself.
template <class Fit>
void fit_each(std::size_t n, unsigned threads, const Fit& fit) {
    const double memory = static_cast<double>(most_memory.load());
    std::vector<std::size_t> large;
    std::mutex mutex;
    in_parallel(n, threads, [&](std::size_t i, unsigned) {
        try {
            fit(i, memory / n_workers(n, threads));
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

}  // namespace

void logistic_terms(const Dataset& data, const LogisticSettings& settings, const std::vector<Blanket>& blankets, unsigned threads,
                    double* out) {
    const PenalizedLikelihood likelihood(settings.price);
    const LaplaceEvidence evidence(settings.scale, settings.moment);
    const bool flat = std::isinf(settings.scale);
    const Objective& objective = flat ? static_cast<const Objective&>(likelihood) : evidence;
    fit_each(blankets.size(), threads, [&](std::size_t i, double memory) {
        const Blanket& blanket = blankets[i];
        const bool by_row = std::any_of(blanket.members.begin(), blanket.members.end(), [&](int v) { return settings.scores[v] != nullptr; });
        const Family family = by_row ? family_of_rows(data, blanket, settings.scores) : count_family(data, blanket);
        out[i] = fit_family(data, settings, blanket, family, flat ? Coding::treatment : Coding::orthonormal, objective, memory);
    });
}

void evidence_terms(const Dataset& data, const LogisticSettings& settings, RisingTables& tables, double ess,
                    const std::vector<Blanket>& blankets, unsigned threads, double* out) {
    const LaplaceEvidence evidence(settings.scale, settings.moment);
    fit_each(blankets.size(), threads, [&](std::size_t i, double memory) {
        const Family family = count_family(data, blankets[i]);
        out[2 * i + 1] = marginal_likelihood(data, tables, ess, blankets[i], family);
        out[2 * i] = fit_family(data, settings, blankets[i], family, Coding::orthonormal, evidence, memory);
    });
}

}  // namespace graphoid
