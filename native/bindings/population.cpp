// What Python sees of populations of graphs.
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bindings/bind.hpp"
#include "graphs/moves.hpp"
#include "counting/parallel.hpp"
#include "graphs/population.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

using Graphs = nb::ndarray<Word, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Words = Array<Word>;
using Numbers = Array<double>;
using Positions = Array<std::int32_t>;

void check(const Graphs& graphs) {
    if (graphs.shape(1) > 64) throw nb::value_error("a graph of a population has at most 64 variables");
}

// One line a test, one bit a graph.
nb::object separations(Graphs graphs, Positions x, Positions y, Words given, unsigned threads) {
    check(graphs);
    const Planes planes(graphs.data(), graphs.shape(0), static_cast<int>(graphs.shape(1)));
    std::vector<Word> out(x.shape(0) * planes.words());
    {
        nb::gil_scoped_release released;
        in_parallel(x.shape(0), threads, [&](std::size_t t, unsigned) {
            planes.separated(x.data()[t], y.data()[t], given.data()[t], out.data() + t * planes.words());
        });
    }
    return nb::cast(owned(std::move(out)));
}

Evidence evidence(const Positions& x, const Positions& y, const Words& given, const Numbers& log_ratio) {
    return {x.shape(0), x.data(), y.data(), given.data(), log_ratio.data()};
}

FreePairs free_pairs(const Positions& x, const Positions& y) { return {x.shape(0), x.data(), y.data()}; }

// Changes every graph in place by `change(graph, n, key)`; returns the numbers that these return.
template <class Change>
nb::object change_all(Graphs graphs, Words keys, unsigned threads, Change change) {
    check(graphs);
    const std::size_t n = graphs.shape(1);
    std::vector<std::int64_t> numbers(graphs.shape(0));
    {
        nb::gil_scoped_release released;
        in_parallel(graphs.shape(0), threads, [&](std::size_t g, unsigned) {
            numbers[g] = change(graphs.data() + g * n, static_cast<int>(n), keys.data()[g]);
        });
    }
    return nb::cast(owned(std::move(numbers)));
}

nb::object flip_moves_of_all(Graphs graphs, Positions x, Positions y, Words given, Numbers log_ratio, Positions free_x,
                             Positions free_y, Numbers log_prior, double alpha, int steps, int enough, Words keys, unsigned threads) {
    const Evidence known = evidence(x, y, given, log_ratio);
    return change_all(graphs, keys, threads, [&](Word* graph, int n, Word key) {
        return flip_moves(graph, n, {known, log_prior.data()}, free_pairs(free_x, free_y), alpha, steps, enough, key);
    });
}

nb::object edge_moves_of_all(Graphs graphs, Positions x, Positions y, Words given, Numbers log_ratio, Positions free_x,
                             Positions free_y, Numbers log_prior, int steps, Words keys, unsigned threads) {
    const Evidence known = evidence(x, y, given, log_ratio);
    return change_all(graphs, keys, threads, [&](Word* graph, int n, Word key) {
        return edge_moves(graph, n, {known, log_prior.data()}, free_pairs(free_x, free_y), steps, key);
    });
}

nb::object repair_all(Graphs graphs, Positions x, Positions y, Words given, Numbers log_ratio, Positions free_x,
                      Positions free_y, double sure, int rounds, Words keys, unsigned threads) {
    const Evidence known = evidence(x, y, given, log_ratio);
    return change_all(graphs, keys, threads, [&](Word* graph, int n, Word key) {
        return repair(graph, n, known, free_pairs(free_x, free_y), sure, rounds, key);
    });
}

// One line a graph, one set a pair.
nb::object separators(Graphs graphs, Positions x, Positions y, unsigned threads) {
    check(graphs);
    const std::size_t n = graphs.shape(1), pairs = x.shape(0);
    std::vector<Word> out(graphs.shape(0) * pairs);
    {
        nb::gil_scoped_release released;
        in_parallel(pairs, threads, [&](std::size_t p, unsigned) {
            for (std::size_t g = 0; g < graphs.shape(0); ++g)
                out[g * pairs + p] = smallest_separator(graphs.data() + g * n, static_cast<int>(n), x.data()[p], y.data()[p]);
        });
    }
    return nb::cast(owned(std::move(out)));
}

// The set and the score that the climb for each pair ends in.
nb::tuple climb_all(Graphs graphs, Positions group, std::size_t n_groups, Numbers weight, Positions x, Positions y,
                    Numbers price, int max_flips, double floor, unsigned threads) {
    check(graphs);
    const int n = static_cast<int>(graphs.shape(1));
    const std::size_t pairs = x.shape(0);
    std::vector<Word> given(pairs);
    std::vector<double> score(pairs);
    {
        nb::gil_scoped_release released;
        const Planes planes(graphs.data(), graphs.shape(0), n);
        const Population population{&planes, graphs.shape(0), weight.data(), group.data(), n_groups};
        std::atomic<double> best{floor};
        in_parallel(pairs, threads, [&](std::size_t p, unsigned) {
            const Climb found = climb(population, n, x.data()[p], y.data()[p], price.data(), max_flips, best);
            given[p] = found.given;
            score[p] = found.score;
        });
    }
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
