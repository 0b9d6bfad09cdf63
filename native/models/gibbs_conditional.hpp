// Gibbs sampling of a few binary variables given all others, row by row, in a log-linear model of indicator features.
#pragma once
#include <cstddef>
#include <cstdint>

namespace graphoid {

// Features that mention the sampled variables ("hidden", numbered 0 .. n_hidden - 1). Feature f has weight[f] and holds
// where every column evidence[i] has evidence_state[i], first_evidence[f] <= i < first_evidence[f + 1], and every hidden
// variable hidden[j] has hidden_state[j], first_hidden[f] <= j < first_hidden[f + 1].
struct HiddenFeatures {
    std::size_t n_features, n_hidden;
    const double* weight;
    const std::int64_t* first_evidence;
    const std::int32_t *evidence, *evidence_state;
    const std::int64_t* first_hidden;
    const std::int32_t *hidden, *hidden_state;
};

struct Chains {
    std::size_t n_chains, burn_in, n_samples;
};

// out[row][hidden] = the mean of P(hidden = 1 | all else) over the updates of all chains after their burn-in. One key of
// a SplitMix64 stream for each row (rows are n_columns wide); the same for any number of threads.
void gibbs_conditional(const HiddenFeatures& features, const std::uint8_t* rows, std::size_t n_rows, std::size_t n_columns,
                       const std::uint64_t* keys, const Chains& chains, unsigned threads, double* out);

}  // namespace graphoid
