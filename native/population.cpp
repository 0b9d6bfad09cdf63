#include "population.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace graphoid {
namespace {

constexpr double tie = 1e-12;  // scores nearer to each other than this are equal but for rounding

inline int lowest(Word set) { return __builtin_ctzll(set); }
inline Word bit(int i) { return Word{1} << i; }

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

Word reachable(const Word* graph, int x, Word removed) {
    Word seen = bit(x), todo = graph[x] & ~removed & ~seen;
    while (todo) {
        const int v = lowest(todo);
        seen |= bit(v);
        todo = (todo | graph[v]) & ~seen & ~removed;
    }
    return seen;
}

inline bool joined(const Word* graph, int x, int y) { return graph[x] >> y & 1; }

inline void flip(Word* graph, int x, int y) {
    graph[x] ^= bit(y);
    graph[y] ^= bit(x);
}

int count_edges(const Word* graph, int n) {
    int ends = 0;
    for (int v = 0; v < n; ++v) ends += __builtin_popcountll(graph[v]);
    return ends / 2;
}

}  // namespace

bool separated(const Word* graph, int x, int y, Word given) {
    const Word target = bit(y);
    Word closed = given | bit(x), todo = graph[x] & ~closed;
    while (!(todo & target)) {
        if (!todo) return true;
        const int v = lowest(todo);
        closed |= bit(v);
        todo = (todo | graph[v]) & ~closed;
    }
    return false;
}

Planes::Planes(const Word* graphs, std::size_t n_graphs, int n)
    : n_(n), simd_(choose_simd("")), n_graphs_(n_graphs), words_((n_graphs + 63) / 64),
      blocks_((words_ + kBlockWords - 1) / kBlockWords), planes_(blocks_ * n * n * kBlockWords, 0) {
    for (std::size_t g = 0; g < n_graphs; ++g) {
        const std::size_t word = g / 64, block = word / kBlockWords;
        for (int i = 0; i < n; ++i)
            for (Word left = graphs[g * n + i]; left; left &= left - 1)
                planes_[((block * n + i) * n + lowest(left)) * kBlockWords + word % kBlockWords] |= bit(static_cast<int>(g % 64));
    }
}

void Planes::separated(int x, int y, Word given, Word* out) const {
    const Word open = (n_ == 64 ? ~Word{0} : bit(n_) - 1) & ~given & ~bit(x);
    Word apart[kBlockWords];
    for (std::size_t block = 0; block < blocks_; ++block) {
        simd_->search(planes_.data() + block * n_ * n_ * kBlockWords, n_, x, y, open, apart);
        const std::size_t first = block * kBlockWords;
        std::copy(apart, apart + std::min(kBlockWords, words_ - first), out + first);
    }
    if (n_graphs_ % 64) out[words_ - 1] &= bit(static_cast<int>(n_graphs_ % 64)) - 1;
}

int move(Word* graph, int n, const Evidence& evidence, const Room& room, double alpha, int steps, int enough, Word key) {
    if (room.size == 0) return 0;
    Stream stream(key);
    const double log_stay = std::log1p(-alpha);
    std::vector<char> apart(evidence.size);
    for (std::size_t t = 0; t < evidence.size; ++t) apart[t] = separated(graph, evidence.x[t], evidence.y[t], evidence.given[t]);
    std::vector<std::size_t> flipped, changed;
    int edges = count_edges(graph, n), accepted = 0, step = 0;
    for (; step < steps && accepted < enough; ++step) {
        flipped.clear();
        // how many pairs stay before the next that flips has a geometric distribution
        for (double at = 0; alpha > 0;) {
            at += alpha < 1 ? std::floor(std::log(stream.uniform()) / log_stay) : 0.0;
            if (at >= static_cast<double>(room.size)) break;
            flipped.push_back(static_cast<std::size_t>(at));
            at += 1;
        }
        if (flipped.empty()) {  // the graph itself, which is always accepted
            ++accepted;
            continue;
        }
        bool adds = false, cuts = false;
        int now = edges;
        for (const std::size_t p : flipped) {
            const bool cut = joined(graph, room.x[p], room.y[p]);
            (cut ? cuts : adds) = true;
            now += cut ? -1 : 1;
            flip(graph, room.x[p], room.y[p]);
        }
        double delta = room.log_prior[now] - room.log_prior[edges];
        changed.clear();
        for (std::size_t t = 0; t < evidence.size; ++t) {
            if (apart[t] ? !adds : !cuts) continue;  // what is apart stays so unless edges are added, and so on
            const bool now_apart = separated(graph, evidence.x[t], evidence.y[t], evidence.given[t]);
            if (now_apart == static_cast<bool>(apart[t])) continue;
            delta += now_apart ? evidence.gain[t] : -evidence.gain[t];
            changed.push_back(t);
        }
        if (std::log(stream.uniform()) < delta) {
            ++accepted;
            edges = now;
            for (const std::size_t t : changed) apart[t] = !apart[t];
        } else {
            for (const std::size_t p : flipped) flip(graph, room.x[p], room.y[p]);
        }
    }
    return accepted < enough ? steps : step;
}

int repair(Word* graph, const Evidence& evidence, const Room& room, double sure, int rounds, Word key) {
    Stream stream(key);
    std::vector<std::size_t> wrong, choice;
    std::vector<char> apart(evidence.size);
    const auto look = [&](std::size_t t) { apart[t] = separated(graph, evidence.x[t], evidence.y[t], evidence.given[t]); };
    for (std::size_t t = 0; t < evidence.size; ++t) look(t);
    for (int round = 0;; ++round) {
        wrong.clear();
        for (std::size_t t = 0; t < evidence.size; ++t)
            if (std::fabs(evidence.gain[t]) >= sure && static_cast<bool>(apart[t]) != (evidence.gain[t] > 0)) wrong.push_back(t);
        if (wrong.empty() || round == rounds) return static_cast<int>(wrong.size());
        const std::size_t t = wrong[stream.below(wrong.size())];
        const int x = evidence.x[t], y = evidence.y[t];
        const Word given = evidence.given[t], from = reachable(graph, x, given);
        choice.clear();
        if (evidence.gain[t] > 0) {
            // cut one edge of the room that lies between what x reaches and what y reaches without it
            for (std::size_t p = 0; p < room.size; ++p)
                if (joined(graph, room.x[p], room.y[p]) && (from >> room.x[p] & 1) && (from >> room.y[p] & 1)) choice.push_back(p);
        } else {
            const Word to = reachable(graph, y, given);
            const auto across = [&](Word a, Word b) {
                for (std::size_t p = 0; p < room.size; ++p) {
                    const Word i = bit(room.x[p]), j = bit(room.y[p]);
                    if (((a & i) && (b & j)) || ((a & j) && (b & i))) choice.push_back(p);
                }
            };
            across(from, to);
            if (choice.empty()) across(from | to, ~(from | to | given));  // by way of a third
        }
        if (choice.empty()) continue;
        const std::size_t p = choice[stream.below(choice.size())];
        flip(graph, room.x[p], room.y[p]);
        const bool added = joined(graph, room.x[p], room.y[p]);
        for (std::size_t u = 0; u < evidence.size; ++u)
            if (static_cast<bool>(apart[u]) == added) look(u);  // an edge more parts none, one less connects none
    }
}

// Menger: as many paths from x to y without a common variable as the separator has members. Every variable has an
// entrance (node 2v) and an exit (node 2v + 1); a path may go back through what an earlier one uses, and undoes it.
Word smallest_separator(const Word* graph, int n, int x, int y) {
    Word used = 0;                // variables that have a path through them
    int entered_from[64];
    std::fill(entered_from, entered_from + n, -1);
    for (;;) {
        Word in = 0, out = bit(x);  // entrances and exits reached
        int parent[128], queue[128], head = 0, tail = 0, last = -1;
        const auto reach = [&](int node, int from) {
            Word& seen = node % 2 ? out : in;
            if (seen >> (node / 2) & 1) return;
            seen |= bit(node / 2);
            parent[node] = from;
            queue[tail++] = node;
        };
        queue[tail++] = 2 * x + 1;
        while (head < tail && last < 0) {
            const int node = queue[head++], v = node / 2;
            if (node % 2) {
                Word next = graph[v] & ~bit(x);
                if (v == x) next &= ~bit(y);  // their edge does not count
                if (next >> y & 1) {
                    last = node;
                    break;
                }
                for (; next; next &= next - 1) reach(2 * lowest(next), node);
                if (used >> v & 1) reach(2 * v, node);
            } else if (!(used >> v & 1)) {
                reach(2 * v + 1, node);
            } else if (entered_from[v] != x) {
                reach(2 * entered_from[v] + 1, node);
            }
        }
        if (last < 0) return in & ~out;
        for (int node = 2 * y, from = last;; node = from, from = parent[node]) {
            const int v = node / 2, u = from / 2;
            if (u == v)
                used ^= bit(v);
            else if (from % 2 && v != y)
                entered_from[v] = u;
            if (from == 2 * x + 1) break;
        }
    }
}

void answers(const Population& population, int x, int y, Word given, std::vector<Word>& bits, std::vector<double>& weight) {
    bits.resize(population.planes->words());
    population.planes->separated(x, y, given, bits.data());
    weight.assign(2 * population.n_groups, 0.0);
    for (std::size_t g = 0; g < population.size; ++g)
        weight[2 * population.group[g] + (bits[g / 64] >> (g % 64) & 1)] += population.weight[g];
}

double information(double no, double yes) {
    double gain = 0;
    for (const double part : {no, yes})
        if (part > 0) gain -= part * std::log(part / (no + yes));
    return gain;
}

double information_gain(const std::vector<double>& weight) {
    double gain = 0;
    for (std::size_t c = 0; c < weight.size(); c += 2) gain += information(weight[c], weight[c + 1]);
    return gain;
}

// What is apart given nothing is apart given anything, and an edge is never apart. So of every class the share that a
// test of the pair parts lies between these two, and the test gains most where it comes nearest to a half.
double most_information(const std::vector<double>& least, const std::vector<double>& most) {
    double gain = 0;
    for (std::size_t c = 0; c < least.size(); c += 2) {
        const double all = least[c] + least[c + 1];
        const double yes = std::min(std::max(all / 2, least[c + 1]), most[c + 1]);
        gain += information(all - yes, yes);
    }
    return gain;
}

Climb climb(const Population& population, int n, int x, int y, const double* price, int most_flips, std::atomic<double>& floor) {
    std::vector<double> weight, least;
    std::vector<Word> bits;
    std::vector<int> others, at;
    for (int v = 0; v < n; ++v)
        if (v != x && v != y) others.push_back(v);
    const int m = static_cast<int>(others.size());
    const auto score = [&](Word given) {
        answers(population, x, y, given, bits, weight);
        return Climb{given, information_gain(weight) / price[__builtin_popcountll(given)]};
    };
    Climb best = score(0);
    least = weight;
    Word all = 0;
    for (const int v : others) all |= bit(v);
    answers(population, x, y, all, bits, weight);
    const double most = most_information(least, weight) + tie;
    double within_reach = 0;
    for (int size = 1; size <= m; ++size) within_reach = std::max(within_reach, most / price[size]);
    if (within_reach < floor) return best;
    for (int k = 1; k <= std::min(most_flips, m) && best.given == 0; ++k) {
        for (bool moved = true; moved;) {
            moved = false;
            const Word from = best.given;
            at.resize(k);
            for (int i = 0; i < k; ++i) at[i] = i;
            for (;;) {
                Word given = from;
                for (const int i : at) given ^= bit(others[i]);
                if (most / price[__builtin_popcountll(given)] > best.score + tie) {
                    const Climb next = score(given);
                    if (next.score > best.score + tie) {
                        best = next;
                        moved = true;
                    }
                }
                int i = k - 1;
                while (i >= 0 && at[i] == m - k + i) --i;
                if (i < 0) break;
                ++at[i];
                for (int j = i + 1; j < k; ++j) at[j] = at[j - 1] + 1;
            }
        }
    }
    for (double known = floor; best.score > known && !floor.compare_exchange_weak(known, best.score);) {
    }
    return best;
}

}  // namespace graphoid
