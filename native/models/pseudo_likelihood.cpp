#include "models/pseudo_likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "counting/parallel.hpp"

namespace graphoid {
namespace {

constexpr std::size_t tile = 32;          // words: 2,048 rows, 16 KiB of logits
constexpr std::size_t tile_rows = tile * 64;
constexpr std::size_t few_words = 1 << 15;  // of masks: done before a second thread has started

// What one thread needs for a tile of one variable; a binary variable has one logit, that of state 1 over state 0.
struct Workspace {
    std::vector<double> logits, moves, residuals, bends;
    Word mask[tile];
};

// The mask of rows in which all other members of a term have their states.
const Word* mask_of(const DistinctRows& rows, const Terms& terms, const Terms::Term& term, std::size_t first_word,
                    std::size_t words, Word* work) {
    const std::size_t* others = terms.others(term);
    if (term.n_others == 0) {
        std::fill(work, work + words, ~Word{0});
        return work;
    }
    const Word* a = rows.plane(others[0]) + first_word;
    for (std::size_t i = 1; i < term.n_others; ++i) {
        const Word* b = rows.plane(others[i]) + first_word;
        for (std::size_t w = 0; w < words; ++w) work[w] = a[w] & b[w];
        a = work;
    }
    return a;
}

// Adds each term's weight to the logits of the rows it holds in.
void add_terms(const DistinctRows& rows, const Terms& terms, std::size_t v, const double* weights, std::size_t first_word,
               std::size_t words, Word* work, double* logits) {
    const bool binary = rows.arity(v) == 2;
    std::fill(logits, logits + tile_rows * (binary ? 1 : rows.arity(v)), 0.0);
    for (const Terms::Term& term : terms.of(v)) {
        const double weight = weights[term.feature];
        if (weight == 0) continue;
        const Word* mask = mask_of(rows, terms, term, first_word, words, work);
        if (binary)
            rows.simd().add_where(mask, words, term.state == 1 ? weight : -weight, logits);
        else
            rows.simd().add_where(mask, words, weight, logits + term.state * tile_rows);
    }
}

enum class Wanted { slopes, slopes_along, gains };

// Log-likelihood of the rows of a tile for a variable of any arity; derivatives by the logits as `logistic` has them for
// two states, and where gains are wanted the second derivative by each logit.
double soft_max(const DistinctRows& rows, std::size_t v, std::size_t first_word, std::size_t words, Wanted wanted, Workspace& work) {
    const std::size_t arity = rows.arity(v);
    const double* weight = rows.weights() + first_word * 64;
    std::vector<double> p(arity);
    double value = 0;
    for (std::size_t i = 0; i < words * 64; ++i) {
        double largest = work.logits[i], total = 0, mean = 0, own = 0;
        for (std::size_t k = 1; k < arity; ++k) largest = std::max(largest, work.logits[k * tile_rows + i]);
        for (std::size_t k = 0; k < arity; ++k) total += p[k] = std::exp(work.logits[k * tile_rows + i] - largest);
        for (std::size_t k = 0; k < arity; ++k) {
            p[k] /= total;
            if (wanted == Wanted::slopes_along) mean += p[k] * work.moves[k * tile_rows + i];
        }
        for (std::size_t k = 0; k < arity; ++k) {
            const std::size_t at = k * tile_rows + i;
            const Word bits = rows.plane(rows.literal(v, k))[first_word + i / 64];
            const bool here = bits >> i % 64 & 1;
            if (here) own = work.logits[at];
            work.residuals[at] = weight[i] * (wanted == Wanted::slopes_along ? -p[k] * (work.moves[at] - mean) : (here ? 1 : 0) - p[k]);
            if (wanted == Wanted::gains) work.bends[at] = -weight[i] * p[k] * (1 - p[k]);
        }
        if (weight[i] != 0) value += weight[i] * (own - largest - std::log(total));
    }
    return value;
}

// The likelihood, and for every feature of `scored` the sums over its terms that are wanted.
double evaluate(const DistinctRows& rows, const Terms& model, const double* weights, const double* direction,
                const Terms& scored, Wanted wanted, unsigned threads, double* slope, double* curvature) {
    const std::size_t n = rows.n();
    if ((model.n_terms() + scored.n_terms() + n) * rows.words() < few_words) threads = 1;
    std::vector<double> values(n, 0.0);
    std::vector<std::vector<double>> slopes(n), bends(n);  // of each term of each variable: added up in order at the end
    std::vector<Workspace> workspaces(n_workers(n, threads));
    in_parallel(n, threads, [&](std::size_t v, unsigned thread) {
        Workspace& work = workspaces[thread];
        const bool binary = rows.arity(v) == 2;
        const std::size_t size = tile_rows * (binary ? 1 : rows.arity(v));
        if (work.logits.size() < size)
            for (auto* part : {&work.logits, &work.moves, &work.residuals, &work.bends}) part->resize(size);
        const std::vector<Terms::Term>& terms = scored.of(v);
        slopes[v].assign(terms.size(), 0.0);
        bends[v].assign(wanted == Wanted::gains ? terms.size() : 0, 0.0);
        for (std::size_t first = 0; first < rows.words(); first += tile) {
            const std::size_t words = std::min(tile, rows.words() - first);
            add_terms(rows, model, v, weights, first, words, work.mask, work.logits.data());
            if (wanted == Wanted::slopes_along) add_terms(rows, model, v, direction, first, words, work.mask, work.moves.data());
            if (binary) {
                const auto logistic = [&](const double* moves, double* out) {
                    return rows.simd().logistic(work.logits.data(), moves, rows.plane(rows.literal(v, 1)) + first,
                                                rows.weights() + first * 64, words, out);
                };
                values[v] += logistic(wanted == Wanted::slopes_along ? work.moves.data() : nullptr, work.residuals.data());
                if (wanted == Wanted::gains) {
                    std::fill(work.moves.begin(), work.moves.end(), 1.0);
                    logistic(work.moves.data(), work.bends.data());
                }
            } else {
                values[v] += soft_max(rows, v, first, words, wanted, work);
            }
            for (std::size_t t = 0; t < terms.size(); ++t) {
                const Word* mask = mask_of(rows, scored, terms[t], first, words, work.mask);
                const std::size_t at = binary ? 0 : terms[t].state * tile_rows;
                const double sum = rows.simd().sum_where(mask, words, work.residuals.data() + at);
                slopes[v][t] += binary && terms[t].state == 0 ? -sum : sum;
                if (wanted == Wanted::gains) bends[v][t] += rows.simd().sum_where(mask, words, work.bends.data() + at);
            }
        }
    });
    std::fill(slope, slope + scored.n_features(), 0.0);
    if (wanted == Wanted::gains) std::fill(curvature, curvature + scored.n_features(), 0.0);
    double value = 0;
    for (std::size_t v = 0; v < n; ++v) {
        value += values[v];
        for (std::size_t t = 0; t < slopes[v].size(); ++t) {
            slope[scored.of(v)[t].feature] += slopes[v][t];
            if (wanted == Wanted::gains) curvature[scored.of(v)[t].feature] += bends[v][t];
        }
    }
    return value;
}

}  // namespace

DistinctRows::DistinctRows(const std::vector<std::uint32_t>& arities, std::vector<double> weights, const Simd* simd)
    : arities_(arities), n_rows_(weights.size()), words_((weights.size() + 63) / 64), weights_(std::move(weights)), simd_(simd) {
    words_ = (words_ + kWordAlign - 1) / kWordAlign * kWordAlign;
    weights_.resize(words_ * 64, 0.0);
    std::size_t literals = 0;
    for (std::uint32_t arity : arities_) {
        first_literal_.push_back(literals);
        literals += arity;
    }
    planes_.assign(literals * words_, 0);
}

template <class Code>
void DistinctRows::set_column(std::size_t v, const Code* codes) {
    for (std::size_t i = 0; i < n_rows_; ++i) planes_[literal(v, codes[i]) * words_ + i / 64] |= Word{1} << i % 64;
}
template void DistinctRows::set_column(std::size_t, const std::uint8_t*);
template void DistinctRows::set_column(std::size_t, const std::uint16_t*);

Terms::Terms(const DistinctRows& rows, std::size_t n_features, const std::int64_t* first_member, const std::int32_t* variable,
             const std::int32_t* state)
    : arities_(rows.arities()), n_features_(n_features), n_terms_(static_cast<std::size_t>(first_member[n_features])), terms_(rows.n()) {
    for (std::size_t f = 0; f < n_features; ++f)
        for (std::int64_t i = first_member[f]; i < first_member[f + 1]; ++i) {
            const std::size_t first = others_.size();
            for (std::int64_t j = first_member[f]; j < first_member[f + 1]; ++j)
                if (j != i) others_.push_back(rows.literal(static_cast<std::size_t>(variable[j]), static_cast<std::size_t>(state[j])));
            terms_[static_cast<std::size_t>(variable[i])].push_back(
                {f, first, others_.size() - first, static_cast<std::uint32_t>(state[i])});
        }
}

double pseudo_likelihood(const DistinctRows& rows, const Terms& model, const double* weights, const double* direction,
                         const Terms& scored, unsigned threads, double* out) {
    const Wanted wanted = direction == nullptr ? Wanted::slopes : Wanted::slopes_along;
    return evaluate(rows, model, weights, direction, scored, wanted, threads, out, nullptr);
}

void pseudo_likelihood_gains(const DistinctRows& rows, const Terms& model, const double* weights, const Terms& scored,
                             unsigned threads, double* slope, double* curvature) {
    evaluate(rows, model, weights, nullptr, scored, Wanted::gains, threads, slope, curvature);
}

}  // namespace graphoid
