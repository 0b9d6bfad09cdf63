// The pseudo-likelihood of a log-linear model whose features are indicators of partial assignments.
//
// Whether a feature holds, apart from the variable asked about, is an AND of bit planes: nothing is stored for a feature
// but its members. Rows come in tiles, so that the logits of a tile stay in the nearest cache while all terms pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/simd.hpp"

namespace graphoid {

// Distinct rows with weights, as a bit plane for every state of every variable.
class DistinctRows {
public:
    explicit DistinctRows(const std::vector<std::uint32_t>& arities, std::vector<double> weights, const Simd* simd);
    // Codes of variable v; called once for each.
    template <class Code>
    void set_column(std::size_t v, const Code* codes);

    std::size_t n() const { return arities_.size(); }
    std::size_t words() const { return words_; }
    std::uint32_t arity(std::size_t v) const { return arities_[v]; }
    const std::vector<std::uint32_t>& arities() const { return arities_; }
    std::size_t literal(std::size_t v, std::size_t state) const { return first_literal_[v] + state; }
    const Word* plane(std::size_t literal) const { return planes_.data() + literal * words_; }
    const double* weights() const { return weights_.data(); }  // zeros from the last row on
    const Simd& simd() const { return *simd_; }

private:
    std::vector<std::uint32_t> arities_;
    std::vector<std::size_t> first_literal_;
    std::size_t n_rows_, words_;
    std::vector<Word> planes_;
    std::vector<double> weights_;
    const Simd* simd_;
};

// Features, sorted by the variables they mention: a term is a feature seen from one of its members.
class Terms {
public:
    // Feature f fixes variable[i] to state[i] for first_member[f] <= i < first_member[f + 1].
    Terms(const DistinctRows& rows, std::size_t n_features, const std::int64_t* first_member, const std::int32_t* variable,
          const std::int32_t* state);

    struct Term {
        std::size_t feature, first_other, n_others;  // the other members, as literals
        std::uint32_t state;                         // of the variable that the term belongs to
    };
    // Whether these rows have the variables that the features were made for.
    bool fits(const DistinctRows& rows) const { return rows.arities() == arities_; }
    std::size_t n_features() const { return n_features_; }
    std::size_t n_terms() const { return n_terms_; }
    const std::vector<Term>& of(std::size_t v) const { return terms_[v]; }
    const std::size_t* others(const Term& term) const { return others_.data() + term.first_other; }

private:
    std::vector<std::uint32_t> arities_;
    std::size_t n_features_, n_terms_;
    std::vector<std::vector<Term>> terms_;
    std::vector<std::size_t> others_;
};

// Returns the sum over rows and variables of log P(x_v | rest) under `model` with `weights`. Into `out` goes, for every
// feature of `scored`, its derivative (as if it were in the model with weight 0 where it is not), or, with a
// `direction` (one number for each feature of the model), the derivative of that derivative along it.
// The same for any number of threads.
double pseudo_likelihood(const DistinctRows& rows, const Terms& model, const double* weights, const double* direction,
                         const Terms& scored, unsigned threads, double* out);

// The derivative of every feature of `scored` into `slope`, and its second derivative by its own weight into `curvature`.
void pseudo_likelihood_gains(const DistinctRows& rows, const Terms& model, const double* weights, const Terms& scored,
                             unsigned threads, double* slope, double* curvature);

}  // namespace graphoid
