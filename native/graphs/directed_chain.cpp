#include "graphs/directed_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "counting/limits.hpp"
#include "counting/streams.hpp"

namespace graphoid {
namespace {

constexpr double kHopeless = -40;                       // log odds below which an arc is never drawn
constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::size_t kMostKept = std::size_t{1} << 20;  // gains: some 100 megabytes

std::uint64_t number(int x, int y) {
    return static_cast<std::uint64_t>(std::min(x, y)) << 32 | static_cast<std::uint32_t>(std::max(x, y));
}

}  // namespace

DirectedChain::DirectedChain(Dataset& data, SliceCache& cache, std::vector<int> order, std::vector<Parents> start,
                             std::vector<std::pair<int, int>> pairs, const ChainSettings& settings, KnownArcs known)
    : data_(data),
      cache_(cache),
      order_(std::move(order)),
      parents_(std::move(start)),
      pairs_(std::move(pairs)),
      settings_(settings),
      known_(std::move(known)),
      score_(data, settings.ess),
      n_(static_cast<int>(order_.size())),
      words_((order_.size() + 63) / 64),
      children_(order_.size() * words_, 0),
      seen_(order_.size(), 0) {
    n_pairs_ = 0.5 * static_cast<double>(n_) * static_cast<double>(n_ - 1);
    for (int v = 0; v < n_; ++v)
        for (const int p : parents_[v]) {
            children_[static_cast<std::size_t>(p) * words_ + static_cast<std::size_t>(v) / 64] |= Word{1} << (v % 64);
            ++arcs_;
        }
    for (const auto& [x, y] : pairs_) visited_.push_back(number(x, y));
    std::sort(visited_.begin(), visited_.end());
}

// The gain of an arc is the same in both directions, if the other parents are.
DirectedChain::Key DirectedChain::key_of(int parent, int child) const {
    Key key{std::min(order_[parent], order_[child]), std::max(order_[parent], order_[child])};
    for (const int p : parents_[child])
        if (p != parent) key.push_back(order_[p]);
    std::sort(key.begin() + 2, key.end());
    return key;
}

bool DirectedChain::carries(int parent, int child) const {
    std::size_t others = 0;
    double configurations = score_.states(order_[parent]);
    for (const int p : parents_[child])
        if (p != parent) configurations *= score_.states(order_[p]), ++others;
    return configurations <= score_.rows() && others < settings_.max_parents;
}

// The gains of all pairs that are not known yet, as the graph is now: most of what a sweep needs, counted together.
void DirectedChain::prefetch() {
    if (gains_.size() > kMostKept) gains_.clear();
    std::vector<Key> keys;
    for (const auto& [x, y] : pairs_)
        for (const auto& [parent, child] : {std::pair(x, y), std::pair(y, x)})
            if (carries(parent, child))
                if (Key key = key_of(parent, child); gains_.find(key) == gains_.end()) keys.push_back(std::move(key));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const std::vector<double> found = arc_gains(data_, cache_, score_, keys, settings_.threads);
    for (std::size_t i = 0; i < keys.size(); ++i) gains_.emplace(std::move(keys[i]), found[i]);
}

double DirectedChain::gain(int parent, int child) {
    Key key = key_of(parent, child);
    if (const auto known = gains_.find(key); known != gains_.end()) return known->second;
    const double found = arc_gains(data_, cache_, score_, {key}, 1)[0];
    gains_.emplace(std::move(key), found);
    return found;
}

// Whether arcs lead from one variable to another.
bool DirectedChain::leads(int start, int end) {
    ++mark_;
    above_.assign(1, end);
    while (!above_.empty()) {
        const int v = above_.back();
        above_.pop_back();
        for (const int p : parents_[v]) {
            if (p == start) return true;
            if (seen_[p] == mark_) continue;
            seen_[p] = mark_;
            above_.push_back(p);
        }
    }
    return false;
}

double DirectedChain::log_odds(int parent, int child, double prior) {
    if (!carries(parent, child) || known_.parts(parents_[child], parent, child)) return kNever;
    const double found = gain(parent, child) + prior;
    return found < kHopeless || leads(child, parent) ? kNever : found;
}

void DirectedChain::flip(int parent, int child) {
    Parents& own = parents_[child];
    const auto at = std::lower_bound(own.begin(), own.end(), parent);
    if (at != own.end() && *at == parent) {
        own.erase(at);
        --arcs_;
    } else {
        own.insert(at, parent);
        ++arcs_;
    }
    children_[static_cast<std::size_t>(parent) * words_ + static_cast<std::size_t>(child) / 64] ^= Word{1} << (child % 64);
}

bool DirectedChain::share_child(int x, int y) const {
    const Word *a = children_.data() + static_cast<std::size_t>(x) * words_, *b = children_.data() + static_cast<std::size_t>(y) * words_;
    for (std::size_t w = 0; w < words_; ++w)
        if (a[w] & b[w]) return true;
    return false;
}

// Draws a pair anew; how probable it is, given all others, that it is joined.
double DirectedChain::visit(int x, int y, double uniform) {
    for (const auto& [parent, child] : {std::pair(x, y), std::pair(y, x)})
        if (std::binary_search(parents_[child].begin(), parents_[child].end(), parent)) flip(parent, child);
    const auto edges = static_cast<double>(arcs_);
    const double usual = std::log((edges + settings_.a) / (2 * (n_pairs_ - 1 - edges + settings_.b)));
    const double prior = known_.log_odds(x, y, usual);
    const double log_there = log_odds(x, y, prior), log_back = log_odds(y, x, prior), most = std::max({0.0, log_there, log_back});
    const double none = std::exp(-most), there = std::exp(log_there - most), back = std::exp(log_back - most);
    const double point = uniform * (none + there + back);
    if (point >= none && point < none + there)
        flip(x, y);
    else if (point >= none + there && back > 0)
        flip(y, x);
    return share_child(x, y) ? 1.0 : (there + back) / (none + there + back);
}

// Pairs that are not visited and yet joined, as they have a child in common.
void DirectedChain::count_others() {
    for (int v = 0; v < n_; ++v) {
        const Parents& own = parents_[v];
        for (std::size_t i = 0; i < own.size(); ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const std::uint64_t pair = j == i ? number(own[i], v) : number(own[j], own[i]);
                if (std::binary_search(visited_.begin(), visited_.end(), pair)) continue;
                auto& [times, last] = others_[pair];
                if (times > 0 && last == sweep_) continue;
                ++times;
                last = sweep_;
            }
    }
}

std::vector<JoinedPair> DirectedChain::run() {
    std::vector<double> shares(pairs_.size(), 0.0);
    std::uint64_t counter = 0;
    double arcs = 0;
    for (sweep_ = 0; sweep_ < settings_.sweeps; ++sweep_) {
        check_time();
        prefetch();
        const bool counts = sweep_ >= settings_.burn_in;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const double joined = visit(pairs_[i].first, pairs_[i].second, stream_uniform(settings_.key, counter++));
            if (counts) shares[i] += joined;
        }
        if (!counts) continue;
        arcs += static_cast<double>(arcs_);
        count_others();
    }
    const double kept = settings_.sweeps > settings_.burn_in ? static_cast<double>(settings_.sweeps - settings_.burn_in) : 1;
    density_ = arcs / kept / std::max(1.0, n_pairs_);
    std::vector<JoinedPair> found;
    for (std::size_t i = 0; i < pairs_.size(); ++i) found.push_back({pairs_[i].first, pairs_[i].second, shares[i] / kept});
    for (const auto& [pair, times] : others_)
        found.push_back({static_cast<int>(pair >> 32), static_cast<int>(pair & 0xffffffffu), static_cast<double>(times.first) / kept});
    std::sort(found.begin(), found.end(), [](const JoinedPair& a, const JoinedPair& b) { return std::pair(a.x, a.y) < std::pair(b.x, b.y); });
    return found;
}

}  // namespace graphoid
