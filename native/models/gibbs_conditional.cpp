#include "models/gibbs_conditional.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "counting/parallel.hpp"
#include "counting/streams.hpp"

namespace graphoid {
namespace {

// What is left of the model once the evidence of a row is known: log-odds of every hidden variable, linear in the
// others but for features of three hidden variables or more.
class Reduced {
public:
    explicit Reduced(std::size_t n) : n_(n), field_(n), coupling_(n * n), mentions_(n) {}

    void take(const HiddenFeatures& features, const std::uint8_t* row) {
        std::fill(field_.begin(), field_.end(), 0.0);
        std::fill(coupling_.begin(), coupling_.end(), 0.0);
        members_.clear();
        large_.clear();
        for (auto& list : mentions_) list.clear();
        for (std::size_t f = 0; f < features.n_features; ++f)
            if (holds(features, f, row)) add(features, f);
    }

    // Log-odds at given states, and the number of members of each large feature that disagree.
    void start(const std::uint8_t* states) {
        odds_ = field_;
        for (std::size_t v = 0; v < n_; ++v)
            if (states[v])
                for (std::size_t u = 0; u < n_; ++u) odds_[u] += coupling_[v * n_ + u];
        for (Large& f : large_) {
            f.disagree = 0;
            for (std::size_t i = f.first; i < f.last; ++i) f.disagree += states[members_[i].variable] != members_[i].state;
        }
        for (const Large& f : large_)
            for (std::size_t i = f.first; i < f.last; ++i) {
                const Member& m = members_[i];
                if (f.disagree == (states[m.variable] != m.state ? 1 : 0)) odds_[m.variable] += m.push;
            }
    }

    double odds(std::size_t v) const { return odds_[v]; }

    // Variable v has just become states[v].
    void flipped(std::size_t v, const std::uint8_t* states) {
        const double* row = coupling_.data() + v * n_;
        if (states[v])
            for (std::size_t u = 0; u < n_; ++u) odds_[u] += row[u];
        else
            for (std::size_t u = 0; u < n_; ++u) odds_[u] -= row[u];
        for (const Mention& mention : mentions_[v]) {
            Large& f = large_[mention.feature];
            const bool agrees = states[v] == mention.state;
            const int others = agrees ? --f.disagree : f.disagree++;  // members besides v that disagree
            if (others > 1) continue;
            for (std::size_t i = f.first; i < f.last; ++i) {
                const Member& m = members_[i];
                if (m.variable != v && others == (states[m.variable] != m.state ? 1 : 0))
                    odds_[m.variable] += agrees ? m.push : -m.push;
            }
        }
    }

private:
    struct Member {
        std::size_t variable;
        std::uint8_t state;
        double push;  // what the feature adds to the log-odds of the variable where the other members agree
    };
    struct Large {
        std::size_t first, last;
        int disagree;
    };
    struct Mention {
        std::size_t feature;
        std::uint8_t state;
    };

    static bool holds(const HiddenFeatures& features, std::size_t f, const std::uint8_t* row) {
        for (std::int64_t i = features.first_evidence[f]; i < features.first_evidence[f + 1]; ++i)
            if (row[features.evidence[i]] != features.evidence_state[i]) return false;
        return true;
    }

    void add(const HiddenFeatures& features, std::size_t f) {
        const std::int32_t* variable = features.hidden + features.first_hidden[f];
        const std::int32_t* state = features.hidden_state + features.first_hidden[f];
        const auto order = features.first_hidden[f + 1] - features.first_hidden[f];
        const double w = features.weight[f];
        const auto push = [&](std::int64_t i) { return state[i] ? w : -w; };
        const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(variable[i]); };
        if (order == 1) {
            field_[at(0)] += push(0);
        } else if (order == 2) {
            const double both = state[1] ? push(0) : -push(0);
            coupling_[at(0) * n_ + at(1)] += both;
            coupling_[at(1) * n_ + at(0)] += both;
            if (!state[1]) field_[at(0)] += push(0);
            if (!state[0]) field_[at(1)] += push(1);
        } else {
            const std::size_t first = members_.size();
            for (std::int64_t i = 0; i < order; ++i) {
                mentions_[at(i)].push_back({large_.size(), static_cast<std::uint8_t>(state[i])});
                members_.push_back({at(i), static_cast<std::uint8_t>(state[i]), push(i)});
            }
            large_.push_back({first, members_.size(), 0});
        }
    }

    std::size_t n_;
    std::vector<double> field_, coupling_, odds_;
    std::vector<Member> members_;
    std::vector<Large> large_;
    std::vector<std::vector<Mention>> mentions_;
};

// Chains of one row, one after the other. A probability is computed again only if something has flipped since.
void sample(Reduced& model, std::size_t n, std::uint64_t key, const Chains& chains, double* means) {
    std::vector<std::uint8_t> states(n);
    std::vector<double> p(n);
    std::vector<std::uint64_t> known_at(n);
    std::uint64_t counter = 0;
    std::fill(means, means + n, 0.0);
    for (std::size_t chain = 0; chain < chains.n_chains; ++chain) {
        for (std::size_t v = 0; v < n; ++v) states[v] = stream_uniform(key, counter++) < 0.5;
        model.start(states.data());
        std::uint64_t flips = 1;
        std::fill(known_at.begin(), known_at.end(), 0);
        for (std::size_t sweep = 0; sweep < chains.burn_in + chains.n_samples; ++sweep)
            for (std::size_t v = 0; v < n; ++v) {
                if (known_at[v] != flips) {
                    p[v] = 1 / (1 + std::exp(-model.odds(v)));
                    known_at[v] = flips;
                }
                if (sweep >= chains.burn_in) means[v] += p[v];
                const bool state = stream_uniform(key, counter++) < p[v];
                if (state != static_cast<bool>(states[v])) {
                    states[v] = state;
                    ++flips;
                    model.flipped(v, states.data());
                }
            }
    }
    for (std::size_t v = 0; v < n; ++v) means[v] /= static_cast<double>(chains.n_chains * chains.n_samples);
}

}  // namespace

void gibbs_conditional(const HiddenFeatures& features, const std::uint8_t* rows, std::size_t n_rows, std::size_t n_columns,
                       const std::uint64_t* keys, const Chains& chains, unsigned threads, double* out) {
    std::vector<Reduced> models(n_workers(n_rows, threads), Reduced(features.n_hidden));
    in_parallel(n_rows, threads, [&](std::size_t row, unsigned thread) {
        models[thread].take(features, rows + row * n_columns);
        sample(models[thread], features.n_hidden, keys[row], chains, out + row * features.n_hidden);
    });
}

}  // namespace graphoid
