// A search over directed acyclic graphs: the best of all changes of one arc, again and again, and never soon back.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/slices.hpp"
#include "graphs/known_arcs.hpp"
#include "scores/arcs.hpp"
#include "tests/batch.hpp"

namespace graphoid {

using Parents = std::vector<int>;  // ascending

struct ParentsHash {
    std::size_t operator()(const Parents& key) const;
};

// What arcs gain: of x, y and the columns that are given, ascending.
std::vector<double> arc_gains(Dataset& data, SliceCache& cache, const ArcScore& score, const std::vector<std::vector<int>>& questions, unsigned threads);

// Who can be reached from whom along arcs: a bit for every pair.
class Reach {
public:
    explicit Reach(std::size_t n) : words_((n + 63) / 64), bits_(n * words_, 0) {}
    bool has(int from, int to) const { return bits_[row(from) + static_cast<std::size_t>(to) / 64] >> (to % 64) & 1; }
    void add_arc(int from, int to);
    // After arcs from `from` have gone; `parents` of all variables as they are now.
    void drop_arc(int from, const std::vector<Parents>& parents);

private:
    std::size_t row(int v) const { return static_cast<std::size_t>(v) * words_; }
    void add(int from, int to);  // `to`, and what can be reached from there
    std::size_t words_;
    std::vector<Word> bits_;
    std::vector<int> below_;                // scratch: how many can be reached
    std::vector<std::array<int, 3>> arcs_;  // likewise: by that, parent and child
};

struct DirectedSettings {
    SampleSizes ess;            // of BDeu
    double arc_log_odds = 0;    // of every arc a priori
    std::size_t max_parents = 0;
    std::size_t partners = 0;   // so many variables that gain most as the only parent may be parents of a child; 0: all
    std::size_t tenure = 0;     // steps for which a pair that changed is left alone, unless that leads higher than ever
    std::size_t patience = 0;   // steps that a walk may lose by without meeting a new best graph
    unsigned threads = 1;
};

// Variables are numbered in the order that decides between equals; `order` says which column each of them is.
class DirectedSearch {
public:
    DirectedSearch(Dataset& data, SliceCache& cache, std::vector<int> order, const DirectedSettings& settings, KnownArcs known);

    // The first look at all pairs, and the arcs that are known; whatever else is called needs it.
    void begin();
    // Takes up to `steps` best steps; false when the walk has ended.
    bool walk(std::size_t steps);
    // Begins another walk: the best graph, where one variable has lost its arcs and then got some of them back, in directions and
    // an order drawn at random.
    void reinsert(std::uint64_t key);
    // In the best graph, for every parent what it gains as one more of a child, or what its absence gains if it is one; minus
    // infinity where that was not looked at or makes a circle.
    std::vector<double> row(int child);

    const std::vector<Parents>& best() const { return best_; }  // by the numbers of the order
    const std::vector<int>& order() const { return order_; }
    double gain() const { return top_; }                        // of the best graph over the one without arcs
    std::size_t n_terms() const { return terms_; }
    std::size_t n_steps() const { return now_; }

private:
    enum class Change { none, add, drop, turn };
    struct Step {
        Change change = Change::none;
        int parent = -1, child = -1;
        double gain = 0;
    };
    // For every candidate what it gains as one more parent, or what its absence gains if it is one.
    using Row = std::vector<double>;

    std::size_t place(int child, int parent) const;  // in the row of the child
    double gain_of(int child, int parent) const;     // -infinity where it is no candidate
    bool is_parent(int child, int parent) const;
    double cost(int child, int parent, double configurations) const;
    double log_odds(int child, int parent) const { return known_.log_odds(child, parent, settings_.arc_log_odds); }
    bool worth_a_look(int child, int parent, const Parents& parents, double configurations, double left) const;
    double configurations_of(const Parents& parents) const;
    const Row& row_of(int child, const Parents& parents, double left);
    double left_after(int child, int parent, bool add, double gain) const;
    void ask(const std::vector<Question>& questions, std::vector<double>& gains);
    void look_at_pairs();
    void choose_candidates(std::vector<std::vector<std::pair<double, int>>>& strongest);
    Step best_step() const;
    void compare(Step& best, const Step& step) const;
    bool tabu(const Step& step) const;
    bool can_turn(int parent, int child) const;
    void restore();
    void take(const Step& step);
    void keep();  // the graph at hand as the best
    void change(int child, int parent, bool add, double gain);
    std::uint64_t pair(int x, int y) const;

    Dataset& data_;
    SliceCache& cache_;
    const std::vector<int> order_;
    const DirectedSettings settings_;
    const KnownArcs known_;
    const ArcScore score_;
    const int n_;
    double tolerance_ = 0;                      // differences below are rounding
    std::vector<std::vector<int>> candidates_;  // of every child, ascending; empty where all others are
    std::vector<Parents> parents_, best_;
    std::vector<Row> rows_;
    std::vector<double> highest_;               // of every row
    std::vector<double> left_, best_left_;      // BIC: of the log-likelihood of every child, what its parents do not explain
    Reach reach_, best_reach_;
    std::unordered_map<Parents, Row, ParentsHash> kept_;      // rows by child and parents
    std::size_t kept_numbers_ = 0;
    std::unordered_map<std::uint64_t, std::size_t> changed_;  // when a pair last changed
    std::size_t now_ = 0, falls_ = 0, terms_ = 0;
    double value_ = 0, top_ = 0;                // gains over the graph without arcs
};

}  // namespace graphoid
