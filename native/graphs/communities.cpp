#include "graphs/communities.hpp"

#include <numeric>
#include <queue>
#include <unordered_map>

#include "counting/limits.hpp"

namespace graphoid {
namespace {

struct Merge {
    double gain;
    std::int32_t from, into;  // from < into
};

struct Later {
    bool operator()(const Merge& a, const Merge& b) const {
        if (a.gain != b.gain) return a.gain < b.gain;
        return a.from != b.from ? a.from > b.from : a.into > b.into;
    }
};

class Modularity {
public:
    Modularity(std::size_t n, const std::vector<WeightedEdge>& edges) : gains_(n), share_(n, 0.0), into_(n) {
        std::iota(into_.begin(), into_.end(), 0);
        double total = 0;
        for (const WeightedEdge& edge : edges) {
            gains_[edge.x][edge.y] += edge.weight;
            gains_[edge.y][edge.x] += edge.weight;
            share_[edge.x] += edge.weight;
            share_[edge.y] += edge.weight;
        }
        for (const double degree : share_) total += degree;
        const double one = 1 / (total / 2);
        for (double& degree : share_) degree *= one * 0.5;
        for (std::size_t u = 0; u < n; ++u)
            for (auto& [v, gain] : gains_[u]) {
                gain = one * gain - (share_[u] * share_[v] + share_[u] * share_[v]);
                propose(static_cast<std::int32_t>(u), v, gain);
            }
    }

    std::vector<std::int32_t> run() {
        for (std::size_t steps = 0; !queue_.empty(); ++steps) {
            if (steps % 1024 == 0) check_time();
            const Merge best = queue_.top();
            queue_.pop();
            const auto known = gains_[best.from].find(best.into);
            if (known == gains_[best.from].end() || known->second != best.gain) continue;  // it has changed since
            merge(best.from, best.into);
        }
        for (std::int32_t& community : into_)
            while (into_[community] != community) community = into_[community];
        return into_;
    }

private:
    void propose(std::int32_t u, std::int32_t v, double gain) {
        if (u < v && gain >= 0) queue_.push({gain, u, v});
    }

    void set(std::int32_t v, std::int32_t w, double gain) {
        gains_[v][w] = gains_[w][v] = gain;
        propose(std::min(v, w), std::max(v, w), gain);
    }

    void merge(std::int32_t u, std::int32_t v) {
        auto &mine = gains_[u], &its = gains_[v];
        its.erase(u);
        mine.erase(v);
        for (const auto& [w, gain] : its)
            if (mine.find(w) == mine.end()) changed_.push_back({gain - (share_[u] * share_[w] + share_[w] * share_[u]), v, w});
        for (const auto& [w, gain] : mine) {
            const auto both = its.find(w);
            changed_.push_back({both != its.end() ? both->second + gain : gain - (share_[v] * share_[w] + share_[w] * share_[v]), v, w});
            gains_[w].erase(u);
        }
        for (const Merge& change : changed_) set(change.from, change.into, change.gain);
        changed_.clear();
        std::unordered_map<std::int32_t, double>().swap(mine);
        share_[v] += share_[u];
        share_[u] = 0;
        into_[u] = v;
    }

    std::vector<std::unordered_map<std::int32_t, double>> gains_;  // of joining two communities, from both sides
    std::vector<double> share_;                                    // of all ends of edges, those in a community
    std::vector<std::int32_t> into_;                               // the community that one has become part of
    std::priority_queue<Merge, std::vector<Merge>, Later> queue_;
    std::vector<Merge> changed_;
};

}  // namespace

std::vector<std::int32_t> communities(std::size_t n, const std::vector<WeightedEdge>& edges) {
    return Modularity(n, edges).run();
}

}  // namespace graphoid
