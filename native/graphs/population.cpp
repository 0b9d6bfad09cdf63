#include "graphs/population.hpp"

#include <algorithm>
#include <cmath>

namespace graphoid {

Planes::Planes(const Word* graphs, std::size_t n_graphs, int n)
    : graphs_(graphs), n_(n), simd_(choose_simd("")), n_graphs_(n_graphs), words_((n_graphs + 63) / 64),
      blocks_((words_ + kBlockWords - 1) / kBlockWords), planes_(blocks_ * n * n * kBlockWords, 0),
      joined_(blocks_ * n, 0) {
    for (std::size_t g = 0; g < n_graphs; ++g) {
        const std::size_t word = g / 64, block = word / kBlockWords;
        for (int i = 0; i < n; ++i) {
            joined_[block * n + i] |= graphs[g * n + i];
            for (Word left = graphs[g * n + i]; left; left &= left - 1)
                planes_[((block * n + i) * n + lowest(left)) * kBlockWords + word % kBlockWords] |= bit(static_cast<int>(g % 64));
        }
    }
}

void Planes::separated(int x, int y, Word given, Word* out) const {
    const Word open = (n_ == 64 ? ~Word{0} : bit(n_) - 1) & ~given & ~bit(x);
    Word apart[kBlockWords], undone[kBlockWords];
    for (std::size_t block = 0; block < blocks_; ++block) {
        const std::size_t first = block * kBlockWords, words = std::min(kBlockWords, words_ - first);
        simd_->search(planes_.data() + block * n_ * n_ * kBlockWords, joined_.data() + block * n_, n_, x, y, open, words, apart, undone);
        for (std::size_t w = 0; w < words; ++w) {
            out[first + w] = apart[w];
            for (Word left = undone[w]; left; left &= left - 1) {
                const std::size_t g = (first + w) * 64 + static_cast<std::size_t>(lowest(left));
                if (graphoid::separated(graph(g), x, y, given)) out[first + w] |= left & -left;
            }
        }
    }
    if (n_graphs_ % 64) out[words_ - 1] &= bit(static_cast<int>(n_graphs_ % 64)) - 1;
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

namespace {

constexpr double tie = 1e-12;  // scores nearer to each other than this are equal but for rounding

double information(double no, double yes) {
    double gain = 0;
    for (const double part : {no, yes})
        if (part > 0) gain -= part * std::log(part / (no + yes));
    return gain;
}

// What a population says about tests of one pair. What is apart given nothing is apart given anything, so that only the
// graphs which a set parts beyond that are looked at.
class PairTests {
public:
    PairTests(const Population& population, int n, int x, int y)
        : population_(population), n_(n), x_(x), y_(y), plain_(population.planes->words()), bits_(plain_.size()),
          yes_(population.n_groups), all_(population.n_groups), gains_(population.n_groups), more_(population.n_groups) {
        population.planes->separated(x, y, 0, plain_.data());
        for (std::size_t g = 0; g < population.size; ++g) {
            all_[group(g)] += population.weight[g];
            if (plain_[g / 64] >> (g % 64) & 1) yes_[group(g)] += population.weight[g];
        }
        for (std::size_t c = 0; c < population.n_groups; ++c) plain_gain_ += gains_[c] = information(all_[c] - yes_[c], yes_[c]);
    }

    double plain_gain() const { return plain_gain_; }

    double gain(Word given) {
        population_.planes->separated(x_, y_, given, bits_.data());
        touched_.clear();
        for (std::size_t w = 0; w < bits_.size(); ++w)
            for (Word left = bits_[w] & ~plain_[w]; left; left &= left - 1) add(64 * w + static_cast<std::size_t>(lowest(left)));
        double gain = plain_gain_;
        for (const std::size_t c : touched_) {
            const double yes = yes_[c] + more_[c];
            gain += information(std::max(0.0, all_[c] - yes), yes) - gains_[c];
            more_[c] = 0;
        }
        return gain;
    }

    // By the number of variables given, the most that a test can gain. A graph is parted by no fewer than its smallest
    // separator has, and by none where the two are joined; of every class the share that a test parts gains most where
    // it comes nearest to a half.
    std::vector<double> most_by_size() {
        std::vector<std::vector<std::size_t>> parted(static_cast<std::size_t>(n_) - 1);
        for (std::size_t g = 0; g < population_.size; ++g) {
            const Word* graph = population_.planes->graph(g);
            if (joined(graph, x_, y_) || (plain_[g / 64] >> (g % 64) & 1)) continue;
            parted[static_cast<std::size_t>(__builtin_popcountll(smallest_separator(graph, n_, x_, y_)))].push_back(g);
        }
        std::vector<double> by_size;
        double most = plain_gain_ + tie;
        touched_.clear();
        for (const std::vector<std::size_t>& graphs : parted) {
            for (const std::size_t g : graphs) {
                const std::size_t c = group(g);
                most -= nearest_to_half(c);
                add(g);
                most += nearest_to_half(c);
            }
            by_size.push_back(most);
        }
        for (const std::size_t c : touched_) more_[c] = 0;
        return by_size;
    }

private:
    std::size_t group(std::size_t g) const { return static_cast<std::size_t>(population_.group[g]); }
    void add(std::size_t g) {
        if (more_[group(g)] == 0) touched_.push_back(group(g));
        more_[group(g)] += population_.weight[g];
    }
    double nearest_to_half(std::size_t c) const {
        const double yes = std::min(std::max(all_[c] / 2, yes_[c]), yes_[c] + more_[c]);
        return information(std::max(0.0, all_[c] - yes), yes);
    }

    const Population& population_;
    int n_, x_, y_;
    std::vector<Word> plain_, bits_;          // what is apart given nothing, and given a set
    std::vector<double> yes_, all_, gains_;   // of every class: what is apart given nothing, everything, and the gain
    std::vector<double> more_;                // of every class: what is apart beyond that; 0 between calls
    std::vector<std::size_t> touched_;        // the classes in which there is more
    double plain_gain_ = 0;
};

}  // namespace

Climb climb(const Population& population, int n, int x, int y, const double* price, int max_flips, std::atomic<double>& floor) {
    PairTests tests(population, n, x, y);
    Climb best{0, tests.plain_gain() / price[0]};
    const std::vector<double> most = tests.most_by_size();
    std::vector<int> others, at;
    for (int v = 0; v < n; ++v)
        if (v != x && v != y) others.push_back(v);
    const int m = static_cast<int>(others.size());
    double within_reach = 0;
    for (int size = 1; size <= m; ++size) within_reach = std::max(within_reach, most[static_cast<std::size_t>(size)] / price[size]);
    if (within_reach < floor) return best;
    for (int k = 1; k <= std::min(max_flips, m) && best.given == 0; ++k) {
        for (bool improved = true; improved;) {
            improved = false;
            const Word from = best.given;
            at.resize(k);
            for (int i = 0; i < k; ++i) at[i] = i;
            for (;;) {
                Word given = from;
                for (const int i : at) given ^= bit(others[i]);
                const int size = __builtin_popcountll(given);
                if (most[static_cast<std::size_t>(size)] / price[size] > best.score + tie) {
                    const Climb next{given, tests.gain(given) / price[size]};
                    if (next.score > best.score + tie) {
                        best = next;
                        improved = true;
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
