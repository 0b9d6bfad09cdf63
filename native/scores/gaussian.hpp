// Linear models of a variable given others, from second moments alone: their evidence in closed form, and graphs drawn by it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scores/blankets.hpp"

namespace graphoid {

// Covariances of columns of numbers; variable v has those from first[v] to first[v + 1].
struct Moments {
    const double* covariance;
    std::size_t width;
    std::vector<std::size_t> first;
    double rows;

    double operator()(std::size_t i, std::size_t j) const { return covariance[i * width + j]; }
    std::size_t size(int v) const { return first[static_cast<std::size_t>(v) + 1] - first[static_cast<std::size_t>(v)]; }
};

// The log evidence of the columns of x given those of other variables, less that without them. Effects are normal a priori with
// variance 1 / precision in units of what the model leaves of x, or with `moment`, their density is proportional to the squares of
// the effects of each member, too.
class LinearEvidence {
public:
    LinearEvidence(const Moments& moments, double precision, bool moment) : moments_(moments), precision_(precision), moment_(moment) {}
    double operator()(int x, const std::vector<int>& members);
    double precision() const { return precision_; }
    void set_precision(double precision) { precision_ = precision; }

private:
    double moment_of_members(std::size_t k, std::size_t q, const std::vector<int>& members);

    const Moments& moments_;
    double precision_;
    bool moment_;
    std::vector<std::size_t> columns_;
    std::vector<double> factor_, right_, left_, inverse_, variances_, effects_;
};

void gaussian_terms(const Moments& moments, double precision, bool moment, const std::vector<Blanket>& blankets, unsigned threads, double* out);

// Graphs drawn from their posterior given how dense they are and how large effects are, which are drawn, too. Log odds of an
// edge are the mean of the evidence at both its ends, and the odds by the number of other edges (a uniform prior of the density).
struct GraphSampling {
    std::vector<double> precisions;  // that effects may have a priori, each as likely
    std::size_t start;               // the first of them
    std::size_t sweeps, burn_in;
    std::uint64_t key;
    std::size_t most_columns;  // of a blanket
};
struct SampledGraphs {
    std::vector<double> probabilities, log_odds;  // of pairs (x, y), x < y, in order; their means over sweeps
    double density = 0, log_precision = 0;        // means over sweeps
};
SampledGraphs sample_graphs(const Moments& moments, const GraphSampling& settings);

}  // namespace graphoid
