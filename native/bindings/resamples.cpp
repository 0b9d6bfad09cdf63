// What Python sees of resamples that are counted together.
#include <nanobind/stl/string.h>

#include <memory>
#include <string>

#include "bindings/columns.hpp"
#include "bindings/vectors.hpp"
#include "graphs/grow_shrink.hpp"
#include "counting/resamples.hpp"

namespace graphoid {
namespace {

class BoundResamples {
public:
    using Bytes = Array<std::uint8_t, 2>;

    // `codes` has a line for each variable, `weights` one for each resample.
    BoundResamples(Bytes codes, const std::vector<std::uint32_t>& arities, Bytes weights, const std::string& simd)
        : codes_(codes), weights_(weights) {
        const Simd* vectors = choose_simd(simd.c_str());
        if (vectors == nullptr) throw nb::value_error("this processor has no such instruction set");
        const std::size_t n = codes.shape(0), rows = codes.shape(1);
        if (arities.size() != n || weights.shape(1) != rows) throw nb::value_error("arities, codes and weights differ in length");
        std::vector<Column> columns(n);
        for (std::size_t v = 0; v < n; ++v) {
            columns[v].arity = arities[v];
            columns[v].narrow = codes.data() + v * rows;
            if (arities[v] < 1 || arities[v] > 256) throw nb::value_error("a variable has no states, or more than 256");
            require(all_below(columns[v].narrow, rows, arities[v]), "a code is beyond the states of its variable");
        }
        nb::gil_scoped_release free;
        data_ = std::make_unique<Resamples>(rows, std::move(columns), weights.data(), weights.shape(0), *vectors);
    }

    // For every resample a line of n * n bytes, ones at x * n + y for edges x < y; and the number of tests of each.
    nb::tuple grow_shrink(int kind, int dof, double alpha, bool propagate, bool skip_independent, bool both, bool infer,
                          double check) {
        GrowShrink settings;
        settings.test = settings_of(kind, dof, settings.test.log_prior, settings.test.occurring);
        if (settings.test.kind == Kind::bayesian) throw nb::value_error("the test has no p-value");
        settings.alpha = alpha;
        settings.propagate = propagate;
        settings.skip_independent = skip_independent;
        settings.both = both;
        settings.infer = infer;
        settings.check = check;
        std::vector<std::uint8_t> edges;
        std::vector<std::int64_t> tests;
        without_lock([&] {
            for (const Grown& grown : graphoid::grow_shrink(*data_, settings)) {
                edges.insert(edges.end(), grown.edges.begin(), grown.edges.end());
                tests.push_back(static_cast<std::int64_t>(grown.tests));
            }
        });
        return nb::make_tuple(owned(std::move(edges)), owned(std::move(tests)));
    }

private:
    Bytes codes_, weights_;
    std::unique_ptr<Resamples> data_;
};

void check(const Array<std::int32_t>& row_of, std::size_t distinct) {
    if (!all_below(row_of, distinct)) throw nb::index_error("no such row");
}

nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>> draw(std::uint64_t key, const Array<std::int32_t>& row_of, std::size_t distinct) {
    check(row_of, distinct);
    std::vector<std::uint32_t> out(room({distinct, sizeof(std::uint32_t)}) / sizeof(std::uint32_t), 0);
    draw_rows(key, row_of.shape(0), row_of.data(), out.data());
    return owned(std::move(out));
}

// A line of weights for every key; none at all if one of them does not fit into its byte.
nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> draw_together(const std::vector<std::uint64_t>& keys, const Array<std::int32_t>& row_of, std::size_t distinct) {
    check(row_of, distinct);
    std::vector<std::uint8_t> out(room({keys.size(), distinct}), 0);
    bool fits = true;
    without_lock([&] {
        for (std::size_t r = 0; r < keys.size() && fits; ++r) fits = draw_rows(keys[r], row_of.shape(0), row_of.data(), out.data() + r * distinct);
    });
    if (!fits) out.clear();
    return owned(std::move(out));
}

}  // namespace

void bind_resamples(nb::module_& m) {
    m.def("draw_rows", &draw, nb::arg("key"), nb::arg("row_of"), nb::arg("distinct"));
    m.def("draw_together", &draw_together, nb::arg("keys"), nb::arg("row_of"), nb::arg("distinct"));
    nb::class_<BoundResamples>(m, "Resamples")
        .def(nb::init<BoundResamples::Bytes, const std::vector<std::uint32_t>&, BoundResamples::Bytes, const std::string&>())
        .def("grow_shrink", &BoundResamples::grow_shrink);
}

}  // namespace graphoid
