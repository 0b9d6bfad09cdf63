// What Python sees of the search over directed graphs.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "bindings/dataset.hpp"
#include "bindings/vectors.hpp"
#include "graphs/directed.hpp"
#include "graphs/directed_chain.hpp"

namespace graphoid {
namespace {

void require_order(const std::vector<int>& order, std::size_t n) {
    require(order.size() == n, "the order must have every column");
    std::vector<char> seen(n, 0);
    for (const int v : order) {
        require(v >= 0 && static_cast<std::size_t>(v) < n && seen[static_cast<std::size_t>(v)] == 0, "the order must have every column once");
        seen[static_cast<std::size_t>(v)] = 1;
    }
}

void require_sizes(const SampleSizes& ess) {
    for (const double one : ess) require(one > 0 && std::isfinite(one), "equivalent sample sizes are positive numbers");
}

using Pairs = std::vector<std::pair<int, int>>;
using PairOdds = std::vector<std::tuple<int, int, double>>;

// What is known of pairs, by the numbers of the order.
KnownArcs known_arcs(std::size_t size, const Pairs& arcs, const Pairs& apart, const PairOdds& log_odds) {
    const auto n = static_cast<int>(size);
    const auto pair = [n](int x, int y) { return x >= 0 && y >= 0 && x < n && y < n && x != y; };
    for (const auto& [x, y] : arcs) require(pair(x, y), "a known arc joins two columns");
    for (const auto& [x, y] : apart) require(pair(x, y), "a known pair is two columns");
    for (const auto& [x, y, odds] : log_odds) require(pair(x, y) && std::isfinite(odds), "log odds are finite, of two columns");
    return {size, arcs, apart, log_odds};
}

// Whether every variable comes after its parents in some order.
bool acyclic(const std::vector<Parents>& parents) {
    std::vector<std::size_t> left(parents.size());
    std::vector<std::vector<std::size_t>> children(parents.size());
    std::vector<std::size_t> free;
    for (std::size_t v = 0; v < parents.size(); ++v) {
        left[v] = parents[v].size();
        if (left[v] == 0) free.push_back(v);
        for (const int p : parents[v]) children[static_cast<std::size_t>(p)].push_back(v);
    }
    std::size_t done = 0;
    for (; !free.empty(); ++done) {
        const std::size_t v = free.back();
        free.pop_back();
        for (const std::size_t child : children[v])
            if (--left[child] == 0) free.push_back(child);
    }
    return done == parents.size();
}

class DirectedHandle {
public:
    DirectedHandle(nb::handle dataset, const std::vector<int>& order, const SampleSizes& ess, double arc_log_odds, std::size_t max_parents, std::size_t partners,
                   std::size_t tenure, std::size_t patience, const Pairs& arcs, const Pairs& apart, const PairOdds& log_odds, unsigned threads)
        : search_(make(dataset_of(dataset), order, {ess, arc_log_odds, max_parents, partners, tenure, patience, threads},
                       known_arcs(order.size(), arcs, apart, log_odds))) {}

    bool walk(std::size_t steps) {
        return without_lock([&] {
            if (!begun_) search_.begin(), begun_ = true;
            return search_.walk(steps);
        });
    }

    void reinsert(std::uint64_t key) {
        require(begun_ && !search_.order().empty(), "a search begins with a walk");
        without_lock([&] { search_.reinsert(key); });
    }

    // For every column what it gains as one more parent of a child, or what its absence gains.
    nb::object row(std::size_t child) {
        const std::vector<int>& order = search_.order();
        require(begun_ && child < order.size(), "a search begins with a walk, and a child is a column");
        const auto at = std::find(order.begin(), order.end(), static_cast<int>(child)) - order.begin();
        const std::vector<double> ranked = without_lock([&] { return search_.row(static_cast<int>(at)); });
        std::vector<double> out(order.size());
        for (std::size_t v = 0; v < order.size(); ++v) out[static_cast<std::size_t>(order[v])] = ranked[v];
        return nb::cast(owned(std::move(out)));
    }

    // The best graph: for every column its parents.
    nb::list best_parents() const {
        std::vector<nb::list> of(search_.order().size());
        for (std::size_t v = 0; v < of.size(); ++v)
            for (const int p : search_.best()[v]) of[static_cast<std::size_t>(search_.order()[v])].append(search_.order()[static_cast<std::size_t>(p)]);
        nb::list out;
        for (const nb::list& own : of) out.append(own);
        return out;
    }

    double gain() const { return search_.gain(); }
    std::size_t n_terms() const { return search_.n_terms(); }
    std::size_t n_steps() const { return search_.n_steps(); }

private:
    static DirectedSearch make(DatasetAccess access, const std::vector<int>& order, const DirectedSettings& settings, KnownArcs known) {
        const std::size_t n = access.data.columns.size();
        require_order(order, n);
        require_sizes(settings.ess);
        const std::size_t wide = settings.partners == 0 ? n : std::min(n, 2 * settings.partners);
        room({n, n / 8 + 8 * wide + 64});
        std::vector<Parents> required(n);
        for (const auto& [parent, child] : known.arcs()) required[static_cast<std::size_t>(child)].push_back(parent);
        require(acyclic(required), "known arcs must not make a circle");
        return {access.data, access.cache, order, settings, std::move(known)};
    }

    DirectedSearch search_;
    bool begun_ = false;
};

// Pairs and how probable it is that they are joined, and the density of arcs. Variables are numbered by the order.
nb::tuple directed_chain(nb::handle dataset, const std::vector<int>& order, const std::vector<std::vector<int>>& parents,
                         const std::vector<std::pair<int, int>>& pairs, const SampleSizes& ess, std::size_t max_parents, double a, double b, std::size_t sweeps,
                         std::size_t burn_in, std::uint64_t key, const Pairs& arcs, const Pairs& apart, const PairOdds& log_odds, unsigned threads) {
    const DatasetAccess access = dataset_of(dataset);
    const auto n = static_cast<int>(access.data.columns.size());
    require_order(order, access.data.columns.size());
    require(parents.size() == order.size(), "a graph has the parents of every column");
    for (const std::vector<int>& own : parents)
        for (std::size_t i = 0; i < own.size(); ++i) require(own[i] >= 0 && own[i] < n && (i == 0 || own[i - 1] < own[i]), "parents are columns, ascending");
    require(acyclic(parents), "arcs must not make a circle");
    for (const auto& [x, y] : pairs) require(x >= 0 && x < y && y < n, "a pair is two columns, ascending");
    require(!ess.empty(), "graphs are drawn by BDeu");
    require_sizes(ess);
    require(a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b), "the prior must be positive numbers");
    room({order.size(), order.size() / 8 + 64});
    DirectedChain chain(access.data, access.cache, order, parents, pairs, {ess, max_parents, a, b, sweeps, burn_in, key, threads},
                        known_arcs(order.size(), arcs, apart, log_odds));
    const std::vector<JoinedPair> found = without_lock([&] { return chain.run(); });
    std::vector<std::int32_t> first, second;
    std::vector<double> shares;
    for (const JoinedPair& pair : found) {
        first.push_back(pair.x);
        second.push_back(pair.y);
        shares.push_back(pair.share);
    }
    return nb::make_tuple(owned(std::move(first)), owned(std::move(second)), owned(std::move(shares)), chain.density());
}

}  // namespace

void bind_directed(nb::module_& m) {
    m.def("directed_chain", &directed_chain, nb::arg("data"), nb::arg("order"), nb::arg("parents"), nb::arg("pairs"), nb::arg("ess"), nb::arg("max_parents"),
          nb::arg("a"), nb::arg("b"), nb::arg("sweeps"), nb::arg("burn_in"), nb::arg("key"), nb::arg("arcs"), nb::arg("apart"), nb::arg("log_odds"),
          nb::arg("threads"));
    nb::class_<DirectedHandle>(m, "Directed")
        .def(nb::init<nb::handle, const std::vector<int>&, const SampleSizes&, double, std::size_t, std::size_t, std::size_t, std::size_t, const Pairs&,
                      const Pairs&, const PairOdds&, unsigned>(),
             nb::arg("data"), nb::arg("order"), nb::arg("ess"), nb::arg("arc_log_odds"), nb::arg("max_parents"), nb::arg("partners"), nb::arg("tenure"),
             nb::arg("patience"), nb::arg("arcs"), nb::arg("apart"), nb::arg("log_odds"), nb::arg("threads"), nb::keep_alive<1, 2>())
        .def("walk", &DirectedHandle::walk)
        .def("reinsert", &DirectedHandle::reinsert)
        .def("row", &DirectedHandle::row)
        .def("best_parents", &DirectedHandle::best_parents)
        .def("gain", &DirectedHandle::gain)
        .def("n_terms", &DirectedHandle::n_terms)
        .def("n_steps", &DirectedHandle::n_steps);
}

}  // namespace graphoid
