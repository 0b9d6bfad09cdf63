#include "graphs/grow_shrink.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "counting/limits.hpp"
#include "graphs/knowledge.hpp"
#include "counting/streams.hpp"
#include "counting/sum.hpp"

namespace graphoid {

using std::vector;

namespace {

// Cells of the tables that several pairs are read off: with the weights of 200 resamples these fit into the first cache.
constexpr double kSharedCells = 80;
// Times variables are counted for one resample alone before they are counted for all that are left: counting for all
// costs about as much as counting for so many one by one.
constexpr uint32_t kOften = 8;
// What the counts for all may take together, and what else is known of variables that were counted.
constexpr size_t kMostListed = size_t{28} << 20;
constexpr size_t kMostHeld = size_t{24} << 20;
// Tables of a resample that smaller ones are read off.
constexpr size_t kRecent = 64;

// Variables that were counted together: how often, and their counts in the resamples that are left, once that was often.
struct Together {
    Together(const Dataset& data, const vector<int>& variables, const Cells* base) : cells(data, variables, base) {}
    Cells cells;
    uint32_t times = 0;
    Listed counts;
};

struct Mixed {
    size_t operator()(const vector<Word>& members) const {
        Word key = 0;
        for (const Word word : members) key = stream_word(key ^ word, 0);
        return key;
    }
};

// The counts of variables in the resample at hand.
struct Recent {
    Together* of = nullptr;
    vector<Word> members;
    vector<uint32_t> counts;
};

// Answers questions about every resample.
class Tester {
public:
    Tester(Resamples& data, const GrowShrink& settings)
        : data_(data), alpha_(settings.alpha), judge_(settings.test, data.data().simd), n_(data.n_variables()), words_((n_ + 63) / 64) {}

    // log p-values of all pairs, unconditionally: out[r][x * n + y].
    void pairs(vector<vector<double>>& out) {
        out.assign(data_.n, vector<double>(static_cast<size_t>(n_) * n_, 0.0));
        vector<char> done(static_cast<size_t>(n_) * n_, 0);
        vector<vector<uint32_t>> tables;
        for (int x = 0; x < n_; ++x)
            for (int y = x + 1; y < n_; ++y) {
                if (done[x * n_ + y]) continue;
                check_time();
                const vector<int> block = around(x, y, done);
                vector<Resamples::Pair> mine;
                for (size_t i = 0; i < block.size(); ++i)
                    for (size_t j = i + 1; j < block.size(); ++j)
                        if (!done[block[i] * n_ + block[j]]) mine.emplace_back(block[i], block[j]);
                data_.count_pairs(block, mine, tables);
                for (size_t k = 0; k < mine.size(); ++k) {
                    const auto [a, b] = mine[k];
                    done[a * n_ + b] = 1;
                    const size_t size = size_t{data_.arity(a)} * data_.arity(b);
                    const Crossing q{a, b, {}};
                    for (size_t r = 0; r < data_.n; ++r)
                        out[r][a * n_ + b] = out[r][b * n_ + a] = log_p_of(q, tables[k].data() + r * size, 1);
                }
            }
    }

    bool independent(double log_p) const { return std::exp(log_p) > alpha_; }

    bool independent(size_t resample, int x, int y, const vector<int>& given) {
        check_time();
        Crossing q{std::min(x, y), std::max(x, y), given};
        std::sort(q.given.begin(), q.given.end());
        const Recent& from = counted(resample, q.variables());
        const Crossed& to = from.of->cells.cross(q);
        table_.assign(to.size, 0);
        for (size_t k = 0; k < from.counts.size(); ++k) table_[to.cell[k]] += from.counts[k];
        return independent(log_p_of(q, table_.data(), to.slices));
    }

private:
    double log_p_of(const Crossing& q, const uint32_t* table, size_t slices) {
        double configurations = 1;
        for (const int z : q.given) configurations *= data_.arity(z);
        judge_.begin(data_.arity(q.x), data_.arity(q.y), configurations, 0);
        judge_.slices(table, slices);
        return judge_.end().log_p;
    }

    // The counts of some variables in a resample, maybe together with others: the smallest table at hand, or a new one.
    const Recent& counted(size_t resample, const vector<int>& variables) {
        if (resample != resample_) used_ = 0, resample_ = resample;
        members_.assign(words_, 0);
        for (const int v : variables) members_[static_cast<size_t>(v) / 64] |= Word{1} << v % 64;
        const Recent* best = nullptr;
        for (size_t k = 0; k < std::min(used_, kRecent); ++k)
            if (has(recent_[k].members) && (best == nullptr || recent_[k].counts.size() < best->counts.size())) best = &recent_[k];
        if (best != nullptr) return *best;
        if (held_ > kMostHeld) forget();
        if (recent_.size() < kRecent) recent_.resize(kRecent);
        Recent& now = recent_[used_++ % kRecent];
        now.of = &together(variables);
        now.members = members_;
        now.counts.resize(now.of->cells.n());
        count(*now.of, resample, now.counts.data());
        return now;
    }

    bool has(const vector<Word>& members) const {
        for (size_t w = 0; w < words_; ++w)
            if (members_[w] & ~members[w]) return false;
        return true;
    }

    // What is known of the variables of members_; all but one of them, if these were counted before, are a start.
    Together& together(const vector<int>& variables) {
        const auto known = together_.find(members_);
        if (known != together_.end()) return known->second;
        const Cells* base = nullptr;
        vector<Word> fewer = members_;
        for (size_t k = 0; k < variables.size() && base == nullptr; ++k) {
            Word& word = fewer[static_cast<size_t>(variables[k]) / 64];
            const Word bit = Word{1} << variables[k] % 64;
            word ^= bit;
            const auto held = together_.find(fewer);
            if (held != together_.end()) base = &held->second.cells;
            word ^= bit;
        }
        Together& entry = together_.try_emplace(members_, data_.data(), variables, base).first->second;
        held_ += entry.cells.bytes();
        return entry;
    }

    void count(Together& of, size_t resample, uint32_t* out) {
        if (++of.times >= kOften && of.counts.empty() && data_.n - resample > kOften && data_.shared(of.cells) && listed_ < kMostListed) {
            of.counts = data_.count_all(of.cells, resample);
            listed_ += of.counts.bytes();
        }
        if (of.counts.empty())
            data_.count_one(of.cells, resample, out);
        else
            of.counts.read(resample, out);
    }

    void forget() {
        for (auto known = together_.begin(); known != together_.end();) known = known->second.counts.empty() ? together_.erase(known) : std::next(known);
        held_ = used_ = 0;
    }

    // x, y and more variables whose pairs with each other can be read off the same table.
    vector<int> around(int x, int y, const vector<char>& done) const {
        vector<int> block{x, y};
        double cells = static_cast<double>(data_.arity(x)) * data_.arity(y);
        for (;;) {
            int best = -1, most = 0;
            for (int z = 0; z < n_; ++z) {
                if (std::find(block.begin(), block.end(), z) != block.end() || cells * data_.arity(z) > kSharedCells) continue;
                int gain = 0;
                for (const int v : block) gain += !done[std::min(v, z) * n_ + std::max(v, z)];
                // of those that bring most pairs the one with fewest states leaves space for more
                if (gain > most || (gain == most && best >= 0 && data_.arity(z) < data_.arity(best))) most = gain, best = z;
            }
            if (best < 0) break;
            block.push_back(best);
            cells *= data_.arity(best);
        }
        std::sort(block.begin(), block.end());
        return block;
    }

    Resamples& data_;
    double alpha_;
    Judge judge_;
    int n_;
    size_t words_;
    std::unordered_map<vector<Word>, Together, Mixed> together_;
    size_t held_ = 0, listed_ = 0;
    size_t resample_ = 0, used_ = 0;  // the resample at hand, and tables counted in it
    vector<Recent> recent_;
    vector<Word> members_;
    vector<uint32_t> table_;
};

// Members of `front` first, then the rest of the queue.
vector<int> promote(const vector<int>& queue, const vector<int>& front, vector<char>& in_front) {
    vector<int> out = front;
    out.reserve(queue.size());
    for (const int w : front) in_front[w] = 1;
    for (const int w : queue)
        if (!in_front[w]) out.push_back(w);
    for (const int w : front) in_front[w] = 0;
    return out;
}

// The loop in one resample; see learners/grow_shrink/loop.py, whose names these are.
class Loop {
public:
    Loop(Tester& tester, const GrowShrink& settings, int n, size_t resample, const vector<double>& strength)
        : tester_(tester), set_(settings), n_(n), resample_(resample), strength_(strength), known_(n), mask_(known_.words()), moved_(n, 0) {}

    Grown run() {
        const vector<Word> nothing(known_.words(), 0);
        if (set_.infer)
            for (int x = 0; x < n_; ++x)
                for (int y = x + 1; y < n_; ++y) known_.add(x, y, nothing.data(), tester_.independent(strength_[x * n_ + y]), 0);
        tests_ = static_cast<size_t>(n_) * (n_ - 1) / 2;
        vector<int> order = examination_order();
        vector<vector<int>> grow_orders(n_), blankets(n_);
        vector<char> examined(n_, 0);
        for (int x = 0; x < n_; ++x) grow_orders[x] = grow_order(x);
        enum { unknown = -1, dependent = 0, absent = 1 };
        vector<int> propagated(n_);
        while (!order.empty()) {
            const int x = order.front();
            order.erase(order.begin());
            for (int y = 0; y < n_; ++y) {
                propagated[y] = unknown;
                if (!set_.propagate || !examined[y]) continue;
                const bool member = std::find(blankets[y].begin(), blankets[y].end(), x) != blankets[y].end();
                if (!set_.both || !member) propagated[y] = member ? dependent : absent;
            }
            examined[x] = 1;
            vector<int> candidates = grow_orders[x];
            std::stable_partition(candidates.begin(), candidates.end(), [&](int y) { return propagated[y] != absent; });
            const auto independent = [&](int y, const vector<int>& given) {
                return propagated[y] != unknown ? propagated[y] == absent : ask(x, y, given);
            };
            vector<int> blanket;
            for (const int y : candidates) {
                if (set_.skip_independent && tester_.independent(strength_[x * n_ + y])) continue;
                if (independent(y, blanket)) continue;
                if (!examined[y]) {
                    vector<int> front = blanket;
                    front.push_back(x);
                    grow_orders[y] = promote(grow_orders[y], front, moved_);
                }
                blanket.push_back(y);
            }
            const auto following = std::find_if(blanket.rbegin(), blanket.rend(), [&](int w) { return !examined[w]; });
            if (following != blanket.rend()) order = promote(order, {*following}, moved_);
            const vector<int> grown = blanket;
            for (auto y = grown.rbegin(); y != grown.rend(); ++y) {
                vector<int> rest;
                for (const int w : blanket)
                    if (w != *y) rest.push_back(w);
                if (independent(*y, rest)) blanket = rest;
            }
            blankets[x] = blanket;
        }
        return joined(blankets);
    }

private:
    bool ask(int x, int y, const vector<int>& given) {
        std::fill(mask_.begin(), mask_.end(), Word{0});
        for (const int z : given) mask_[static_cast<size_t>(z) / 64] |= Word{1} << z % 64;
        if (set_.infer) {
            const Step step = known_.infer(x, y, mask_.data());
            const bool apart = step.rule == i_su || step.rule == i_triangle;
            if (step.rule != no_rule && !(apart && doubtful(x, y))) return apart;
        }
        ++tests_;
        const bool independent = tester_.independent(resample_, x, y, given);
        if (set_.infer) known_.add(x, y, mask_.data(), independent, 0);
        if (independent && strong(x, y)) separators_[std::min(x, y) * n_ + std::max(x, y)].push_back(mask_);
        return independent;
    }

    // As StrongPairs in independence/inferring.py: an inferred independence of what depends on each other beyond doubt.
    bool doubtful(int x, int y) const {
        if (!strong(x, y)) return false;
        const auto found = separators_.find(std::min(x, y) * n_ + std::max(x, y));
        if (found == separators_.end()) return true;
        return std::none_of(found->second.begin(), found->second.end(), [&](const vector<Word>& separator) {
            for (size_t i = 0; i < separator.size(); ++i)
                if (separator[i] & ~mask_[i]) return false;
            return true;
        });
    }

    bool strong(int x, int y) const {
        const double log_p = strength_[x * n_ + y];
        return log_p <= set_.check && !tester_.independent(log_p);
    }

    vector<int> examination_order() const {
        vector<double> total(n_);
        for (int x = 0; x < n_; ++x) {
            Sum<double> sum;
            for (int y = 0; y < n_; ++y)
                if (y != x) sum.add(strength_[x * n_ + y]);
            total[x] = sum.value();
        }
        vector<int> order(n_);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return total[a] < total[b]; });
        return order;
    }

    vector<int> grow_order(int x) const {
        vector<int> order;
        for (int y = 0; y < n_; ++y)
            if (y != x) order.push_back(y);
        const double* log_p = strength_.data() + static_cast<size_t>(x) * n_;
        std::stable_sort(order.begin(), order.end(), [log_p](int a, int b) { return log_p[a] < log_p[b]; });
        return order;
    }

    Grown joined(const vector<vector<int>>& blankets) const {
        Grown out{vector<std::uint8_t>(static_cast<size_t>(n_) * n_, 0), tests_};
        for (int x = 0; x < n_; ++x)
            for (const int y : blankets[x]) ++out.edges[std::min(x, y) * n_ + std::max(x, y)];
        for (std::uint8_t& found : out.edges) found = found >= (set_.both ? 2 : 1);
        return out;
    }

    Tester& tester_;
    const GrowShrink& set_;
    int n_;
    size_t resample_;
    const vector<double>& strength_;
    Knowledge known_;
    vector<Word> mask_;
    vector<char> moved_;
    std::unordered_map<int, vector<vector<Word>>> separators_;  // of strong pairs, as tests found them
    size_t tests_ = 0;
};

}  // namespace

std::vector<Grown> grow_shrink(Resamples& data, const GrowShrink& settings) {
    Tester tester(data, settings);
    vector<vector<double>> strength;
    tester.pairs(strength);
    std::vector<Grown> found;
    for (size_t r = 0; r < data.n; ++r)
        found.push_back(Loop(tester, settings, data.n_variables(), r, strength[r]).run());
    return found;
}

}  // namespace graphoid
