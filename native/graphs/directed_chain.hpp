// Directed acyclic graphs drawn from their posterior by BDeu: a chain that draws the arc of one pair anew, given all others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/slices.hpp"
#include "graphs/directed.hpp"
#include "scores/arcs.hpp"

namespace graphoid {

struct ChainSettings {
    SampleSizes ess;
    std::size_t max_parents = 0;
    double a = 1, b = 1;  // of the density of arcs, which has a beta distribution a priori
    std::size_t sweeps = 0, burn_in = 0;
    std::uint64_t key = 0;
    unsigned threads = 1;
};

// A pair of variables and how probable it is that the moral graph joins it.
struct JoinedPair {
    int x, y;
    double share;
};

// Variables are numbered in the order that decides between equals; `order` says which column each of them is.
class DirectedChain {
public:
    DirectedChain(Dataset& data, SliceCache& cache, std::vector<int> order, std::vector<Parents> start, std::vector<std::pair<int, int>> pairs,
                  const ChainSettings& settings, KnownArcs known);

    // The pairs that are visited, and others that got a child in common, by their numbers.
    std::vector<JoinedPair> run();
    double density() const { return density_; }  // of arcs, on average

private:
    using Key = std::vector<int>;  // x < y, and the columns that are given, ascending

    void prefetch();
    Key key_of(int parent, int child) const;
    bool carries(int parent, int child) const;
    double gain(int parent, int child);
    double log_odds(int parent, int child, double prior);
    bool leads(int start, int end);
    double visit(int x, int y, double uniform);
    void flip(int parent, int child);
    bool share_child(int x, int y) const;
    void count_others();

    Dataset& data_;
    SliceCache& cache_;
    const std::vector<int> order_;
    std::vector<Parents> parents_;
    const std::vector<std::pair<int, int>> pairs_;
    const ChainSettings settings_;
    const KnownArcs known_;
    const ArcScore score_;
    const int n_;
    const std::size_t words_;
    std::vector<Word> children_;  // a bit for every child of every variable
    std::vector<std::uint64_t> visited_;  // numbers of `pairs_`, ascending
    std::unordered_map<Key, double, ParentsHash> gains_;
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> others_;  // how often, and in which sweep last
    std::vector<int> seen_, above_;  // scratch of searches for circles
    int mark_ = 0;
    std::size_t arcs_ = 0, sweep_ = 0;
    double n_pairs_ = 0, density_ = 0;
};

}  // namespace graphoid
