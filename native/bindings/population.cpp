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

template <class T>
using Array = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Graphs = nb::ndarray<Word, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Words = Array<Word>;
using Numbers = Array<double>;
using Positions = Array<std::int32_t>;

void check(const Graphs& graphs) {
    if (graphs.shape(1) > 64) throw nb::value_error("a graph of a population has at most 64 variables");
}

// One line a test, one bit a graph. `search` fills the line of a test.
template <class Search>
nb::object lines(std::size_t tests, std::size_t words, unsigned threads, Search search) {
    std::vector<Word> out(tests * words);
    {
        nb::gil_scoped_release released;
        in_parallel(tests, threads, [&](std::size_t t, unsigned) { search(t, out.data() + t * words); });
    }
    return nb::cast(owned(std::move(out)));
}

nb::object separations(Graphs graphs, Positions x, Positions y, Words given, unsigned threads) {
    check(graphs);
    const Planes planes(graphs.data(), graphs.shape(0), static_cast<int>(graphs.shape(1)));
    return lines(x.shape(0), planes.words(), threads,
                 [&](std::size_t t, Word* out) { planes.separated(x.data()[t], y.data()[t], given.data()[t], out); });
}

// The same by a search in each graph: what the benchmark measures `separations` against.
nb::object searches(Graphs graphs, Positions x, Positions y, Words given, unsigned threads) {
    check(graphs);
    const std::size_t n = graphs.shape(1), size = graphs.shape(0);
    return lines(x.shape(0), (size + 63) / 64, threads, [&](std::size_t t, Word* out) {
        for (std::size_t g = 0; g < size; ++g)
            out[g / 64] |= Word{separated(graphs.data() + g * n, x.data()[t], y.data()[t], given.data()[t])} << (g % 64);
    });
}

Evidence evidence(const Positions& x, const Positions& y, const Words& given, const Numbers& gain) {
    return {x.shape(0), x.data(), y.data(), given.data(), gain.data()};
}

// The graphs are changed in place.
nb::object move_all(Graphs graphs, Positions x, Positions y, Words given, Numbers gain, Positions room_x, Positions room_y,
                    Numbers log_prior, double alpha, int steps, int enough, Words keys, unsigned threads) {
    check(graphs);
    const std::size_t n = graphs.shape(1);
    std::vector<std::int64_t> steps_made(graphs.shape(0));
    {
        nb::gil_scoped_release released;
        const Evidence known = evidence(x, y, given, gain);
        const Room room{room_x.shape(0), room_x.data(), room_y.data(), log_prior.data()};
        in_parallel(graphs.shape(0), threads, [&](std::size_t g, unsigned) {
            steps_made[g] = move(graphs.data() + g * n, static_cast<int>(n), known, room, alpha, steps, enough, keys.data()[g]);
        });
    }
    return nb::cast(owned(std::move(steps_made)));
}

void walk_all(Graphs graphs, Positions x, Positions y, Words given, Numbers gain, Positions room_x, Positions room_y,
              Numbers log_prior, int steps, Words keys, unsigned threads) {
    check(graphs);
    nb::gil_scoped_release released;
    const std::size_t n = graphs.shape(1);
    const Evidence known = evidence(x, y, given, gain);
    const Room room{room_x.shape(0), room_x.data(), room_y.data(), log_prior.data()};
    in_parallel(graphs.shape(0), threads, [&](std::size_t g, unsigned) {
        walk(graphs.data() + g * n, static_cast<int>(n), known, room, steps, keys.data()[g]);
    });
}

nb::object repair_all(Graphs graphs, Positions x, Positions y, Words given, Numbers gain, Positions room_x, Positions room_y,
                      double sure, int rounds, Words keys, unsigned threads) {
    check(graphs);
    const std::size_t n = graphs.shape(1);
    std::vector<std::int64_t> wrong(graphs.shape(0));
    {
        nb::gil_scoped_release released;
        const Evidence known = evidence(x, y, given, gain);
        const Room room{room_x.shape(0), room_x.data(), room_y.data(), nullptr};
        in_parallel(graphs.shape(0), threads, [&](std::size_t g, unsigned) {
            wrong[g] = repair(graphs.data() + g * n, static_cast<int>(n), known, room, sure, rounds, keys.data()[g]);
        });
    }
    return nb::cast(owned(std::move(wrong)));
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
                    Numbers price, int most_flips, double floor, unsigned threads) {
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
            const Climb found = climb(population, n, x.data()[p], y.data()[p], price.data(), most_flips, best);
            given[p] = found.given;
            score[p] = found.score;
        });
    }
    return nb::make_tuple(owned(std::move(given)), owned(std::move(score)));
}

}  // namespace

void bind_population(nb::module_& m) {
    m.def("population_separations", &separations);
    m.def("population_searches", &searches);
    m.def("population_move", &move_all);
    m.def("population_walk", &walk_all);
    m.def("population_repair", &repair_all);
    m.def("population_separators", &separators);
    m.def("population_climb", &climb_all);
}

}  // namespace graphoid
