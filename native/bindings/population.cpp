// What Python sees of populations of graphs.
#include <atomic>
#include <stdexcept>

#include "bindings/bind.hpp"
#include "bindings/words.hpp"
#include "graphs/moves.hpp"
#include "counting/parallel.hpp"
#include "graphs/population.hpp"

namespace graphoid {
namespace {

using Graphs = nb::ndarray<Word, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Words = Array<Word>;
using Numbers = Array<double>;
using Positions = Array<std::int32_t>;

void check(const Graphs& graphs) {
    require(graphs.shape(1) <= 64, "a graph of a population has at most 64 variables");
    require(all_within(graphs.data(), graphs.size(), graphs.shape(1)), "a graph names a variable that is not there");
}

void check(const Positions& x, const Positions& y, std::size_t n) {
    require(x.shape(0) == y.shape(0), "x and y differ in length");
    require(all_below(x, n) && all_below(y, n), "a pair names a variable that is not there");
    for (std::size_t i = 0; i < x.shape(0); ++i) require(x.data()[i] != y.data()[i], "a pair is of two variables");
}

// Edges are counted by their ends: each has two.
void check_edges(const Graphs& graphs) {
    const std::size_t n = graphs.shape(1);
    for (std::size_t g = 0; g < graphs.shape(0); ++g) {
        const Word* graph = graphs.data() + g * n;
        for (std::size_t i = 0; i < n; ++i)
            for (Word left = graph[i]; left; left &= left - 1)
                require(lowest(left) != static_cast<int>(i) && joined(graph, lowest(left), static_cast<int>(i)), "an edge joins two variables, both ways");
    }
}

// One line a test, one bit a graph.
nb::object separations(Graphs graphs, Positions x, Positions y, Words given, unsigned threads) {
    check(graphs);
    check(x, y, graphs.shape(1));
    require(given.shape(0) == x.shape(0), "x, y and given differ in length");
    const Planes planes(graphs.data(), graphs.shape(0), static_cast<int>(graphs.shape(1)));
    std::vector<Word> out(room({x.shape(0), planes.words(), sizeof(Word)}) / sizeof(Word));
    without_lock([&] {
        in_parallel(x.shape(0), threads, [&](std::size_t t, unsigned) {
            planes.separated(x.data()[t], y.data()[t], given.data()[t], out.data() + t * planes.words());
        });
    });
    return nb::cast(owned(std::move(out)));
}

Evidence evidence(const Graphs& graphs, const Positions& x, const Positions& y, const Words& given, const Numbers& log_ratio) {
    check(x, y, graphs.shape(1));
    require(given.shape(0) == x.shape(0) && log_ratio.shape(0) == x.shape(0), "x, y, given and log_ratio differ in length");
    return {x.shape(0), x.data(), y.data(), given.data(), log_ratio.data()};
}

FreePairs free_pairs(const Graphs& graphs, const Positions& x, const Positions& y) {
    check(x, y, graphs.shape(1));
    Word seen[64] = {};
    for (std::size_t i = 0; i < x.shape(0); ++i) {
        const auto [first, second] = std::minmax(x.data()[i], y.data()[i]);
        require(!(seen[first] & bit(second)), "a pair is free twice");
        seen[first] |= bit(second);
    }
    return {x.shape(0), x.data(), y.data()};
}

// A graph has no edge up to all of them.
void check_prior(const Graphs& graphs, const Numbers& log_prior) {
    const std::size_t n = graphs.shape(1);
    require(log_prior.shape(0) > n * (n - (n > 0)) / 2, "there must be a prior for every number of edges");
}

// Changes every graph in place by `change(graph, n, key)`; returns the numbers that these return.
template <class Change>
nb::object change_all(Graphs graphs, Words keys, unsigned threads, Change change) {
    check_edges(graphs);
    require(keys.shape(0) == graphs.shape(0), "there must be a key for every graph");
    const std::size_t n = graphs.shape(1);
    std::vector<std::int64_t> numbers(graphs.shape(0));
    without_lock([&] {
        in_parallel(graphs.shape(0), threads, [&](std::size_t g, unsigned) {
            numbers[g] = change(graphs.data() + g * n, static_cast<int>(n), keys.data()[g]);
        });
    });
    return nb::cast(owned(std::move(numbers)));
}

nb::object flip_moves_of_all(Graphs graphs, Positions x, Positions y, Words given, Numbers log_ratio, Positions free_x,
                             Positions free_y, Numbers log_prior, double alpha, int steps, int enough, Words keys, unsigned threads) {
    check(graphs);
    const Evidence known = evidence(graphs, x, y, given, log_ratio);
    const FreePairs free = free_pairs(graphs, free_x, free_y);
    check_prior(graphs, log_prior);
    return change_all(graphs, keys, threads, [&](Word* graph, int n, Word key) {
        return flip_moves(graph, n, {known, log_prior.data()}, free, alpha, steps, enough, key);
    });
}

nb::object edge_moves_of_all(Graphs graphs, Positions x, Positions y, Words given, Numbers log_ratio, Positions free_x,
                             Positions free_y, Numbers log_prior, int steps, Words keys, unsigned threads) {
    check(graphs);
    const Evidence known = evidence(graphs, x, y, given, log_ratio);
    const FreePairs free = free_pairs(graphs, free_x, free_y);
    check_prior(graphs, log_prior);
    return change_all(graphs, keys, threads, [&](Word* graph, int n, Word key) {
        return edge_moves(graph, n, {known, log_prior.data()}, free, steps, key);
    });
}

nb::object repair_all(Graphs graphs, Positions x, Positions y, Words given, Numbers log_ratio, Positions free_x,
                      Positions free_y, double sure, int rounds, Words keys, unsigned threads) {
    check(graphs);
    require(rounds >= 0, "rounds are 0 or more");
    const Evidence known = evidence(graphs, x, y, given, log_ratio);
    const FreePairs free = free_pairs(graphs, free_x, free_y);
    return change_all(graphs, keys, threads, [&](Word* graph, int n, Word key) {
        return repair(graph, n, known, free, sure, rounds, key);
    });
}

// One line a graph, one set a pair.
nb::object separators(Graphs graphs, Positions x, Positions y, unsigned threads) {
    check(graphs);
    const std::size_t n = graphs.shape(1), pairs = x.shape(0);
    check(x, y, n);
    std::vector<Word> out(room({graphs.shape(0), pairs, sizeof(Word)}) / sizeof(Word));
    without_lock([&] {
        in_parallel(pairs, threads, [&](std::size_t p, unsigned) {
            for (std::size_t g = 0; g < graphs.shape(0); ++g)
                out[g * pairs + p] = smallest_separator(graphs.data() + g * n, static_cast<int>(n), x.data()[p], y.data()[p]);
        });
    });
    return nb::cast(owned(std::move(out)));
}

// The set and the score that the climb for each pair ends in.
nb::tuple climb_all(Graphs graphs, Positions group, std::size_t n_groups, Numbers weight, Positions x, Positions y,
                    Numbers price, int max_flips, double floor, unsigned threads) {
    check(graphs);
    const int n = static_cast<int>(graphs.shape(1));
    const std::size_t pairs = x.shape(0);
    check(x, y, graphs.shape(1));
    require(group.shape(0) == graphs.shape(0) && weight.shape(0) == graphs.shape(0), "there must be a group and a weight for every graph");
    require(all_below(group, n_groups), "a group is beyond their number");
    require(pairs == 0 || price.shape(0) + 1 >= graphs.shape(1), "there must be a price for every number of variables given");
    room({n_groups, 4 * sizeof(double)});
    std::vector<Word> given(pairs);
    std::vector<double> score(pairs);
    without_lock([&] {
        const Planes planes(graphs.data(), graphs.shape(0), n);
        const Population population{&planes, graphs.shape(0), weight.data(), group.data(), n_groups};
        std::atomic<double> best{floor};
        in_parallel(pairs, threads, [&](std::size_t p, unsigned) {
            const Climb found = climb(population, n, x.data()[p], y.data()[p], price.data(), max_flips, best);
            given[p] = found.given;
            score[p] = found.score;
        });
    });
    return nb::make_tuple(owned(std::move(given)), owned(std::move(score)));
}

}  // namespace

void bind_population(nb::module_& m) {
    m.def("population_separations", &separations);
    m.def("population_flip_moves", &flip_moves_of_all);
    m.def("population_edge_moves", &edge_moves_of_all);
    m.def("population_repair", &repair_all);
    m.def("population_separators", &separators);
    m.def("population_climb", &climb_all);
}

}  // namespace graphoid
