#include "graphs/directed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "counting/limits.hpp"
#include "counting/streams.hpp"

namespace graphoid {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-10;                        // of a score, as searches of other scores have it
constexpr std::size_t kMostKept = std::size_t{1} << 23;    // numbers in rows: 64 megabytes
constexpr std::size_t kPairsAtOnce = std::size_t{1} << 16;

Parents with(const Parents& parents, int v) {
    Parents out = parents;
    out.insert(std::lower_bound(out.begin(), out.end(), v), v);
    return out;
}

Parents without(const Parents& parents, int v) {
    Parents out = parents;
    out.erase(std::lower_bound(out.begin(), out.end(), v));
    return out;
}

std::vector<double> gains_of(Dataset& data, SliceCache& cache, const ArcScore& score, const std::vector<Question>& questions, unsigned threads) {
    Settings settings;
    settings.kind = Kind::arc;
    settings.arcs = &score;
    std::vector<Numbers> numbers(questions.size());
    judge_batch(data, cache, settings, questions, threads, numbers.data());
    std::vector<double> gains(questions.size());
    for (std::size_t i = 0; i < questions.size(); ++i) gains[i] = numbers[i].statistic;
    return gains;
}

}  // namespace

std::vector<double> arc_gains(Dataset& data, SliceCache& cache, const ArcScore& score, const std::vector<std::vector<int>>& questions, unsigned threads) {
    std::vector<Question> asked;
    for (const std::vector<int>& q : questions) asked.push_back({q[0], q[1], q.data() + 2, static_cast<int>(q.size()) - 2});
    return gains_of(data, cache, score, asked, threads);
}

void Reach::add(int from, int to) {
    Word* own = bits_.data() + row(from);
    const Word* more = bits_.data() + row(to);
    for (std::size_t w = 0; w < words_; ++w) own[w] |= more[w];
    own[static_cast<std::size_t>(to) / 64] |= Word{1} << (to % 64);
}

void Reach::add_arc(int from, int to) {
    const int n = static_cast<int>(bits_.size() / std::max<std::size_t>(words_, 1));
    for (int v = 0; v < n; ++v)
        if (v == from || has(v, from)) add(v, to);
}

void Reach::drop_arc(int from, const std::vector<Parents>& parents) {
    // those above `from` are found anew, each after its children: from these, fewer could be reached
    const int n = static_cast<int>(parents.size());
    below_.assign(parents.size(), 0);
    for (int v = 0; v < n; ++v) {
        if (v != from && !has(v, from)) continue;
        for (std::size_t w = 0; w < words_; ++w) below_[static_cast<std::size_t>(v)] += __builtin_popcountll(bits_[row(v) + w]);
        std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(row(v)), words_, 0);
        ++below_[static_cast<std::size_t>(v)];  // 0: not above
    }
    arcs_.clear();
    for (int v = 0; v < n; ++v)
        for (const int p : parents[static_cast<std::size_t>(v)])
            if (below_[static_cast<std::size_t>(p)] > 0) arcs_.push_back({below_[static_cast<std::size_t>(p)], p, v});
    std::sort(arcs_.begin(), arcs_.end());
    for (const auto& [below, p, v] : arcs_) add(p, v);
}

std::size_t ParentsHash::operator()(const Parents& key) const {
    std::uint64_t h = 1469598103934665603u;
    for (const int v : key) h = (h ^ static_cast<std::uint64_t>(v)) * 1099511628211u;
    return h ^ (h >> 29);
}

DirectedSearch::DirectedSearch(Dataset& data, SliceCache& cache, std::vector<int> order, const DirectedSettings& settings, KnownArcs known)
    : data_(data),
      cache_(cache),
      order_(std::move(order)),
      settings_(settings),
      known_(std::move(known)),
      score_(data, settings.ess),
      n_(static_cast<int>(order_.size())),
      parents_(order_.size()),
      best_(order_.size()),
      rows_(order_.size()),
      highest_(order_.size(), kNever),
      left_(order_.size()),
      reach_(order_.size()),
      best_reach_(order_.size()) {
    double size = 0;
    for (int v = 0; v < n_; ++v) size += left_[v] = score_.entropy(order_[v]);
    best_left_ = left_;
    tolerance_ = kRounding * std::max(1.0, size);
}

std::size_t DirectedSearch::place(int child, int parent) const {
    if (candidates_.empty()) return static_cast<std::size_t>(parent);
    const std::vector<int>& own = candidates_[child];
    const auto at = std::lower_bound(own.begin(), own.end(), parent);
    return at != own.end() && *at == parent ? static_cast<std::size_t>(at - own.begin()) : own.size();
}

double DirectedSearch::gain_of(int child, int parent) const {
    const std::size_t at = place(child, parent);
    return at < rows_[child].size() ? rows_[child][at] : kNever;
}

bool DirectedSearch::is_parent(int child, int parent) const {
    return std::binary_search(parents_[child].begin(), parents_[child].end(), parent);
}

double DirectedSearch::configurations_of(const Parents& parents) const {
    double product = 1;
    for (const int p : parents) product *= score_.states(order_[p]);
    return product;
}

double DirectedSearch::cost(int child, int parent, double configurations) const {
    return score_.price() * (score_.states(order_[child]) - 1) * (score_.states(order_[parent]) - 1) * configurations;
}

// Not where there are more configurations than rows, nor where all that is left to explain does not pay for the parameters.
bool DirectedSearch::worth_a_look(int child, int parent, const Parents& parents, double configurations, double left) const {
    if (parent == child || known_.apart(parent, child)) return false;
    if (known_.required(parent, child)) return true;
    if (parents.size() >= settings_.max_parents) return false;
    if (configurations * score_.states(order_[parent]) > score_.rows()) return false;
    return !score_.bic() || cost(child, parent, configurations) < std::min(left, score_.entropy(order_[parent])) + tolerance_;
}

void DirectedSearch::ask(const std::vector<Question>& questions, std::vector<double>& gains) {
    gains = gains_of(data_, cache_, score_, questions, settings_.threads);
    terms_ += questions.size();
}

const DirectedSearch::Row& DirectedSearch::row_of(int child, const Parents& parents, double left) {
    Parents key = parents;
    key.push_back(child);
    if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
    if (kept_numbers_ > kMostKept) kept_.clear(), kept_numbers_ = 0;
    Parents given;
    for (const int p : parents) given.push_back(order_[p]);
    std::vector<Parents> rest;  // without each of the parents
    for (std::size_t i = 0; i < given.size(); ++i) {
        rest.push_back(given);
        rest.back().erase(rest.back().begin() + static_cast<std::ptrdiff_t>(i));
    }
    const std::size_t size = candidates_.empty() ? static_cast<std::size_t>(n_) : candidates_[child].size();
    const double configurations = configurations_of(parents);
    std::vector<Question> questions;
    std::vector<std::pair<std::size_t, double>> at;  // where an answer goes, and its sign
    for (std::size_t i = 0; i < size; ++i) {
        const int x = candidates_.empty() ? static_cast<int>(i) : candidates_[child][i];
        const auto known = std::lower_bound(parents.begin(), parents.end(), x);
        if (known != parents.end() && *known == x) {
            const Parents& others = rest[static_cast<std::size_t>(known - parents.begin())];
            questions.push_back({order_[child], order_[x], others.data(), static_cast<int>(others.size())});
            at.emplace_back(i, -1.0);
        } else if (worth_a_look(child, x, parents, configurations, left)) {
            questions.push_back({order_[child], order_[x], given.data(), static_cast<int>(given.size())});
            at.emplace_back(i, 1.0);
        }
    }
    std::vector<double> gains;
    ask(questions, gains);
    Row row(size, kNever);
    for (std::size_t q = 0; q < at.size(); ++q) {
        const int x = candidates_.empty() ? static_cast<int>(at[q].first) : candidates_[child][at[q].first];
        row[at[q].first] = at[q].second * (gains[q] + log_odds(child, x));
    }
    kept_numbers_ += size + key.size();
    return kept_[std::move(key)] = std::move(row);
}

void DirectedSearch::begin() {
    look_at_pairs();
    for (int v = 0; v < n_; ++v) {
        highest_[v] = rows_[v].empty() ? kNever : *std::max_element(rows_[v].begin(), rows_[v].end());
        kept_numbers_ += rows_[v].size() + 1;
        kept_[{v}] = rows_[v];
    }
    for (const auto& [parent, child] : known_.arcs()) take({Change::add, parent, child, gain_of(child, parent)});
    if (known_.arcs().empty()) return;
    keep();
    changed_.clear();
}

// Every pair once: a gain is the same in both directions.
void DirectedSearch::look_at_pairs() {
    const bool all = settings_.partners == 0 || settings_.partners + 1 >= static_cast<std::size_t>(n_);
    std::vector<std::vector<std::pair<double, int>>> strongest(all ? 0 : order_.size());
    std::vector<std::tuple<int, int, double>> required;
    if (all) rows_.assign(order_.size(), Row(order_.size(), kNever));
    std::vector<Question> questions;
    std::vector<std::pair<int, int>> pairs;
    std::vector<double> gains;
    const auto flush = [&] {
        ask(questions, gains);
        for (std::size_t q = 0; q < pairs.size(); ++q) {
            const auto [x, y] = pairs[q];
            gains[q] += log_odds(x, y);
            if (all) {
                if (worth_a_look(x, y, {}, 1, left_[x])) rows_[x][y] = gains[q];
                if (worth_a_look(y, x, {}, 1, left_[y])) rows_[y][x] = gains[q];
                continue;
            }
            if (known_.required(x, y)) {
                required.emplace_back(x, y, gains[q]);
                continue;
            }
            for (const auto& [own, other] : {std::pair(x, y), std::pair(y, x)}) {  // the weakest is in front
                auto& heap = strongest[own];
                heap.emplace_back(-gains[q], other);
                std::push_heap(heap.begin(), heap.end());
                if (heap.size() > settings_.partners) std::pop_heap(heap.begin(), heap.end()), heap.pop_back();
            }
        }
        questions.clear();
        pairs.clear();
    };
    for (int x = 0; x < n_; ++x) {
        for (int y = x + 1; y < n_; ++y) {
            const bool either = worth_a_look(x, y, {}, 1, left_[x]) || worth_a_look(y, x, {}, 1, left_[y]);
            if (!either) continue;
            questions.push_back({order_[x], order_[y], nullptr, 0});
            pairs.emplace_back(x, y);
        }
        if (pairs.size() >= kPairsAtOnce) flush();
    }
    flush();
    for (const auto& [x, y, gain] : required) strongest[x].emplace_back(-gain, y);  // however weak
    if (!all) choose_candidates(strongest);
}

// The strongest partners of each, in both directions.
void DirectedSearch::choose_candidates(std::vector<std::vector<std::pair<double, int>>>& strongest) {
    std::vector<std::vector<std::pair<int, double>>> found(order_.size());
    for (int v = 0; v < n_; ++v)
        for (const auto& [minus, other] : strongest[v]) {
            found[v].emplace_back(other, -minus);
            found[other].emplace_back(v, -minus);
        }
    candidates_.resize(order_.size());
    for (int v = 0; v < n_; ++v) {
        std::sort(found[v].begin(), found[v].end());
        found[v].erase(std::unique(found[v].begin(), found[v].end()), found[v].end());
        for (const auto& [other, gain] : found[v]) {
            candidates_[v].push_back(other);
            rows_[v].push_back(gain);
        }
    }
}

std::uint64_t DirectedSearch::pair(int x, int y) const {
    return static_cast<std::uint64_t>(std::min(x, y)) * static_cast<std::uint64_t>(n_) + static_cast<std::uint64_t>(std::max(x, y));
}

// An arc from parent to child can be reversed if no other way leads from parent to child.
bool DirectedSearch::can_turn(int parent, int child) const {
    return std::none_of(parents_[child].begin(), parents_[child].end(), [&](int p) { return p != parent && reach_.has(parent, p); });
}

bool DirectedSearch::tabu(const Step& step) const {
    if (value_ + step.gain > top_ + tolerance_) return false;
    const auto last = changed_.find(pair(step.parent, step.child));
    return last != changed_.end() && now_ - last->second < settings_.tenure;
}

// Of steps that are equal but for rounding the first is taken: by the child, then the parent, then what is done.
void DirectedSearch::compare(Step& best, const Step& step) const {
    if (best.change != Change::none) {
        if (step.gain < best.gain - tolerance_) return;
        const auto key = [](const Step& s) { return std::tuple(s.child, s.parent, s.change); };
        if (step.gain <= best.gain + tolerance_ && key(step) > key(best)) return;
    }
    if (!tabu(step)) best = step;
}

DirectedSearch::Step DirectedSearch::best_step() const {
    Step best;
    for (int child = 0; child < n_; ++child) {
        for (const int parent : parents_[child]) {
            const double drop = gain_of(child, parent), add = gain_of(parent, child);
            if (!known_.required(parent, child)) compare(best, {Change::drop, parent, child, drop});
            if (add > kNever && can_turn(parent, child) && !known_.parts(parents_[parent], child, parent)) compare(best, {Change::turn, parent, child, drop + add});
        }
        if (best.change != Change::none && highest_[child] < best.gain - tolerance_) continue;
        const Row& row = rows_[child];
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i] == kNever || (best.change != Change::none && row[i] < best.gain - tolerance_)) continue;
            const int parent = candidates_.empty() ? static_cast<int>(i) : candidates_[child][i];
            if (reach_.has(child, parent) || is_parent(child, parent) || known_.parts(parents_[child], parent, child)) continue;
            compare(best, {Change::add, parent, child, row[i]});
        }
    }
    return best;
}

// Rows of changed children come first: what may end a call leaves the graph as it was.
void DirectedSearch::take(const Step& step) {
    const auto [kind, parent, child, gain] = step;
    if (kind == Change::turn) {
        const double drop = gain_of(child, parent), add = gain_of(parent, child);
        row_of(child, without(parents_[child], parent), left_after(child, parent, false, drop));
        row_of(parent, with(parents_[parent], child), left_after(parent, child, true, add));
        change(child, parent, false, drop);
        change(parent, child, true, add);
    } else {
        change(child, parent, kind == Change::add, gain);
    }
    value_ += gain;
    changed_[pair(parent, child)] = ++now_;
}

// What is left to explain once an arc comes or goes: of its gain, that of the data without what its parameters cost.
double DirectedSearch::left_after(int child, int parent, bool add, double gain) const {
    const double price = cost(child, parent, configurations_of(add ? parents_[child] : without(parents_[child], parent)));
    return left_[child] - gain + (add ? log_odds(child, parent) - price : price - log_odds(child, parent));
}

void DirectedSearch::change(int child, int parent, bool add, double gain) {
    Parents next = add ? with(parents_[child], parent) : without(parents_[child], parent);
    const double left = left_after(child, parent, add, gain);
    rows_[child] = row_of(child, next, left);
    highest_[child] = *std::max_element(rows_[child].begin(), rows_[child].end());
    left_[child] = left;
    parents_[child] = std::move(next);
    if (add)
        reach_.add_arc(parent, child);
    else
        reach_.drop_arc(parent, parents_);
}

bool DirectedSearch::walk(std::size_t steps) {
    for (std::size_t taken = 0; taken < steps; ++taken) {
        check_time();
        const Step step = best_step();
        const bool up = step.gain > tolerance_;
        if (step.change == Change::none || (!up && falls_ >= settings_.patience)) return false;
        take(step);
        falls_ += !up;
        if (value_ <= top_ + tolerance_) continue;
        keep();
        falls_ = 0;
    }
    return true;
}

void DirectedSearch::keep() {
    top_ = value_;
    best_ = parents_;
    best_left_ = left_;
    best_reach_ = reach_;
}

void DirectedSearch::restore() {
    for (int v = 0; v < n_; ++v) {
        if (parents_[v] == best_[v]) continue;
        rows_[v] = row_of(v, best_[v], best_left_[v]);
        highest_[v] = *std::max_element(rows_[v].begin(), rows_[v].end());
        parents_[v] = best_[v];
        left_[v] = best_left_[v];
    }
    reach_ = best_reach_;
    value_ = top_;
    changed_.clear();
    falls_ = 0;
}

// As Moore and Wong's optimal reinsertion has it, but that the best way back is looked for by the walk that follows.
void DirectedSearch::reinsert(std::uint64_t key) {
    restore();
    std::uint64_t counter = 0;
    const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(stream_uniform(key, counter++) * static_cast<double>(below)); };
    const int center = static_cast<int>(draw(order_.size()));
    std::vector<std::pair<int, int>> arcs;
    for (int v = 0; v < n_; ++v)
        for (const int p : parents_[v])
            if ((v == center || p == center) && !known_.required(p, v)) arcs.emplace_back(p, v);
    for (const auto& [p, v] : arcs) take({Change::drop, p, v, gain_of(v, p)});
    for (std::size_t k = 0; k < arcs.size(); ++k) {
        auto [p, v] = arcs[draw(arcs.size())];
        if (draw(2) == 0) std::swap(p, v);
        if (is_parent(v, p) || reach_.has(v, p) || known_.parts(parents_[v], p, v) || !(gain_of(v, p) > tolerance_)) continue;
        take({Change::add, p, v, gain_of(v, p)});
    }
    changed_.clear();
}

std::vector<double> DirectedSearch::row(int child) {
    restore();
    std::vector<double> out(order_.size(), kNever);
    for (std::size_t i = 0; i < rows_[child].size(); ++i) {
        const int parent = candidates_.empty() ? static_cast<int>(i) : candidates_[child][i];
        if (!reach_.has(child, parent)) out[static_cast<std::size_t>(parent)] = rows_[child][i];
    }
    return out;
}

}  // namespace graphoid
