#include "graphs/moves.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace graphoid {
namespace {

// Words of the stream of a key, one after the other: SplitMix64.
class Stream {
public:
    explicit Stream(Word key) : state_(key) {}

    Word next() {
        Word z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }  // above 0, at most 1
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(static_cast<double>(next() >> 11) * 0x1p-53 * static_cast<double>(n)); }

private:
    Word state_;
};

inline void flip(Word* graph, int x, int y) {
    graph[x] ^= bit(y);
    graph[y] ^= bit(x);
}

int count_edges(const Word* graph, int n) {
    int ends = 0;
    for (int v = 0; v < n; ++v) ends += __builtin_popcountll(graph[v]);
    return ends / 2;
}

// Whether a graph separates the variables of a test, and what shows it: the variables of a path, or a set that x is in
// and y is not, and that no edge leaves but to what is given.
struct Certificate {
    Word why;
    bool apart;
};

Certificate certify(const Word* graph, int x, int y, Word given) {
    int order[64] = {x}, visited = 1;
    Word closed = given | bit(x), todo = graph[x] & ~closed;
    while (!(todo >> y & 1)) {
        if (!todo) return {closed & ~given, true};
        const int v = order[visited++] = lowest(todo);
        closed |= bit(v);
        todo = (todo | graph[v]) & ~closed;
    }
    Word path = bit(y);
    for (int at = y; at != x; path |= bit(at)) {
        int i = 0;
        while (!joined(graph, order[i], at)) ++i;
        at = order[i];
    }
    return {path, false};
}

// A pair that was flipped: its two variables, and whether they are joined now.
struct Flip {
    Word x, y;
    bool added;
};

// Whether a flip may change what is shown: a new edge by leaving the set, one that is gone by breaking the path.
inline bool touches(const Certificate& test, Word given, const Flip& flip) {
    if (flip.added != test.apart) return false;
    const Word in = test.why & (flip.x | flip.y);
    return flip.added ? (in == flip.x && !(given & flip.y)) || (in == flip.y && !(given & flip.x)) : in == (flip.x | flip.y);
}

// The answers of one graph to all tests.
std::vector<Certificate> certify_all(const Word* graph, const Evidence& evidence) {
    std::vector<Certificate> found(evidence.size);
    for (std::size_t t = 0; t < evidence.size; ++t) found[t] = certify(graph, evidence.x[t], evidence.y[t], evidence.given[t]);
    return found;
}

struct Pair {
    int x, y;
};

// A graph, its answers, and a change to it that is being tried.
class Trial {
public:
    std::vector<Pair> flips;

    Trial(Word* graph, int n, const Target& target)
        : graph_(graph), evidence_(target.evidence), log_prior_(target.log_prior), known_(certify_all(graph, evidence_)),
          edges_(count_edges(graph, n)) {
        for (std::size_t t = 0; t < evidence_.size; ++t) against_ += contradiction(t, known_[t]);
    }

    // Flips the pairs if that adds more than `least` to the log posterior; returns whether it does.
    bool flip_if_above(double least) {
        int now = edges_;
        flipped_.clear();
        for (const Pair& p : flips) {
            flip(graph_, p.x, p.y);
            flipped_.push_back({bit(p.x), bit(p.y), joined(graph_, p.x, p.y)});
            now += flipped_.back().added ? 1 : -1;
        }
        if (above(least - (log_prior_[now] - log_prior_[edges_]))) {
            edges_ = now;
            for (const auto& [t, found] : again_) {
                against_ += contradiction(t, found) - contradiction(t, known_[t]);
                known_[t] = found;
            }
            return true;
        }
        for (const Pair& p : flips) flip(graph_, p.x, p.y);
        return false;
    }

private:
    // What a test takes from the log posterior of a graph that contradicts its answer.
    double contradiction(std::size_t t, const Certificate& found) const {
        return found.apart == (evidence_.log_ratio[t] > 0) ? 0.0 : std::fabs(evidence_.log_ratio[t]);
    }

    // Whether the answers gain more than `least`. No more can be gained than is contradicted now.
    bool above(double least) {
        again_.clear();
        double gained = 0, lost = 0;
        for (std::size_t t = 0; t < evidence_.size; ++t) {
            const auto touched = [&](const Flip& flip) { return touches(known_[t], evidence_.given[t], flip); };
            if (std::none_of(flipped_.begin(), flipped_.end(), touched)) continue;
            again_.emplace_back(t, certify(graph_, evidence_.x[t], evidence_.y[t], evidence_.given[t]));
            const Certificate& found = again_.back().second;
            if (found.apart == known_[t].apart) continue;
            gained += contradiction(t, known_[t]);
            lost += contradiction(t, found);
            if (against_ - lost < least - slack) return false;
        }
        return gained - lost > least;
    }

    static constexpr double slack = 1e-6;  // sums that are rounded differently
    Word* graph_;
    const Evidence& evidence_;
    const double* log_prior_;
    std::vector<Certificate> known_;
    std::vector<Flip> flipped_;
    std::vector<std::pair<std::size_t, Certificate>> again_;
    int edges_;
    double against_ = 0;
};

// Free pairs by line, and one of those that a mask for each line leaves.
class Lines {
public:
    Lines(int n, const FreePairs& free) : n_(n) {
        for (std::size_t p = 0; p < free.size; ++p) {
            later_[free.x[p]] |= bit(free.y[p]);
            of_[free.x[p]] |= bit(free.y[p]);
            of_[free.y[p]] |= bit(free.x[p]);
        }
    }

    Word of(int x) const { return of_[x]; }

    template <class Line>
    std::size_t count(Line line) const {
        std::size_t found = 0;
        for (int x = 0; x < n_; ++x) found += static_cast<std::size_t>(__builtin_popcountll(line(x) & later_[x]));
        return found;
    }
    template <class Line>
    Pair at(std::size_t place, Line line) const {
        for (int x = 0;; ++x) {
            Word left = line(x) & later_[x];
            const auto size = static_cast<std::size_t>(__builtin_popcountll(left));
            if (place < size) return {x, nth(left, place)};
            place -= size;
        }
    }
    static int nth(Word set, std::size_t place) {
        for (; place; --place) set &= set - 1;
        return lowest(set);
    }

private:
    int n_;
    Word later_[64] = {}, of_[64] = {};
};

}  // namespace

int flip_moves(Word* graph, int n, const Target& target, const FreePairs& free, double alpha, int steps, int enough, Word key) {
    if (free.size == 0) return 0;
    Stream stream(key);
    const double log_stay = std::log1p(-alpha);
    Trial trial(graph, n, target);
    int accepted = 0, step = 0;
    for (; step < steps && accepted < enough; ++step) {
        trial.flips.clear();
        // how many pairs stay before the next that flips has a geometric distribution
        for (double at = 0; alpha > 0;) {
            at += alpha < 1 ? std::floor(std::log(stream.uniform()) / log_stay) : 0.0;
            if (at >= static_cast<double>(free.size)) break;
            const auto p = static_cast<std::size_t>(at);
            trial.flips.push_back({free.x[p], free.y[p]});
            at += 1;
        }
        if (trial.flips.empty()) {  // the graph itself, which is always accepted
            ++accepted;
            continue;
        }
        if (trial.flip_if_above(std::log(stream.uniform()))) ++accepted;
    }
    return accepted < enough ? steps : step;
}

int edge_moves(Word* graph, int n, const Target& target, const FreePairs& free, int steps, Word key) {
    enum Kind : std::size_t { remove, add, turn, slide };
    Stream stream(key);
    const Lines lines(n, free);
    const auto edges = [&](int x) { return graph[x]; };
    const auto gaps = [&](int x) { return ~graph[x]; };
    Trial trial(graph, n, target);
    std::size_t n_edges = lines.count(edges);
    int accepted = 0;
    for (int step = 0; step < steps; ++step) {
        const std::size_t kind = stream.below(4), n_gaps = free.size - n_edges, choices = kind == add ? n_gaps : n_edges;
        if (choices == 0) continue;
        const std::size_t chosen = stream.below(choices);
        const Pair pair = kind == add ? lines.at(chosen, gaps) : lines.at(chosen, edges);
        std::size_t after = n_edges;
        double ratio = 1;  // how many more choices there are than for the way back
        if (kind == remove || kind == add) {
            trial.flips = {pair};
            after = kind == add ? n_edges + 1 : n_edges - 1;
            ratio = static_cast<double>(choices) / static_cast<double>(1 + (kind == add ? n_edges : n_gaps));
        } else {
            const bool turned = stream.below(2);
            const int u = turned ? pair.y : pair.x, v = turned ? pair.x : pair.y;
            const Word to = lines.of(u) & ~graph[u] & (kind == slide ? graph[v] : ~Word{0});
            if (!to) continue;
            const int ends = __builtin_popcountll(to), w = Lines::nth(to, stream.below(static_cast<std::size_t>(ends)));
            trial.flips = {pair, {u, w}};
            if (kind == slide) {
                const Word from = (lines.of(u) & ~graph[u] & graph[w]) | bit(v);  // v is then no neighbor of u
                ratio = static_cast<double>(ends) / __builtin_popcountll(from);
            }
        }
        if (!trial.flip_if_above(std::log(stream.uniform()) - std::log(ratio))) continue;
        n_edges = after;
        ++accepted;
    }
    return accepted;
}

int repair(Word* graph, int n, const Evidence& evidence, const FreePairs& free, double sure, int rounds, Word key) {
    Stream stream(key);
    const Lines lines(n, free);
    // flips one of the pairs that are left of each line, if there is any
    const auto flip_one = [&](auto line) -> Flip {
        const std::size_t choices = lines.count(line);
        if (choices == 0) return {0, 0, false};
        const Pair p = lines.at(stream.below(choices), line);
        flip(graph, p.x, p.y);
        return {bit(p.x), bit(p.y), joined(graph, p.x, p.y)};
    };
    const auto across = [&](Word a, Word b) {
        return flip_one([=](int x) { return (a >> x & 1 ? b : 0) | (b >> x & 1 ? a : 0); });
    };
    std::vector<std::size_t> wrong;
    std::vector<Certificate> known = certify_all(graph, evidence);
    for (int round = 0;; ++round) {
        wrong.clear();
        for (std::size_t t = 0; t < evidence.size; ++t)
            if (std::fabs(evidence.log_ratio[t]) >= sure && known[t].apart != (evidence.log_ratio[t] > 0)) wrong.push_back(t);
        if (wrong.empty() || round == rounds) return static_cast<int>(wrong.size());
        const std::size_t t = wrong[stream.below(wrong.size())];
        const Word given = evidence.given[t], from = reachable(graph, evidence.x[t], given);
        Flip done;
        if (evidence.log_ratio[t] > 0) {
            done = flip_one([&](int x) { return from >> x & 1 ? graph[x] & from : 0; });  // cut an edge of their part
        } else {
            const Word to = reachable(graph, evidence.y[t], given);
            done = across(from, to);
            if (!done.x) done = across(from | to, ~(from | to | given));  // by way of a third
        }
        if (!done.x) continue;
        for (std::size_t s = 0; s < evidence.size; ++s)
            if (touches(known[s], evidence.given[s], done))
                known[s] = certify(graph, evidence.x[s], evidence.y[s], evidence.given[s]);
    }
}

}  // namespace graphoid
