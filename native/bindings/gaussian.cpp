// Linear models from second moments.
#include <nanobind/stl/pair.h>

#include <cmath>

#include "bindings/bind.hpp"
#include "bindings/vectors.hpp"
#include "scores/gaussian.hpp"

namespace graphoid {
namespace {

Moments moments_of(const Array<double, 2>& covariance, const Array<std::int64_t>& first, double rows) {
    require(covariance.shape(0) == covariance.shape(1), "covariances are a square matrix");
    require(divides(first, n_parts(first), covariance.shape(0)), "the columns of a variable are some of the matrix");
    require(std::isfinite(rows) && rows >= 0, "the number of rows is a finite number");
    return {covariance.data(), covariance.shape(1), std::vector<std::size_t>(first.data(), first.data() + first.shape(0)), rows};
}

// The evidence of variables given their blankets, less that without them.
nb::object terms(Array<double, 2> covariance, Array<std::int64_t> first, double rows, nb::list blankets, double precision, bool moment,
                 unsigned threads) {
    const Moments moments = moments_of(covariance, first, rows);
    require(precision > 0, "a precision is above 0");
    const nb::tuple held(blankets);  // reading a position may run code that changes the list
    const int n = static_cast<int>(n_parts(first));
    std::vector<Blanket> read;
    read.reserve(held.size());
    for (nb::handle item : held) {
        std::pair<int, std::vector<int>> blanket;
        if (!nb::try_cast(item, blanket)) throw nb::type_error("a blanket is a position and a tuple of other positions");
        for (const int v : blanket.second) require(v >= 0 && v < n, "no such variable");
        require(blanket.first >= 0 && blanket.first < n, "no such variable");
        read.push_back({blanket.first, std::move(blanket.second)});
    }
    std::vector<double> out(read.size());
    without_lock([&] { gaussian_terms(moments, precision, moment, read, threads, out.data()); });
    return nb::cast(owned(std::move(out)));
}

nb::tuple sample(Array<double, 2> covariance, Array<std::int64_t> first, double rows, const std::vector<double>& precisions, std::size_t start,
                 std::size_t sweeps, std::size_t burn_in, std::uint64_t key, std::size_t most_columns) {
    const Moments moments = moments_of(covariance, first, rows);
    require(start < precisions.size() && burn_in < sweeps, "a chain has a precision to start with and sweeps to keep");
    for (const double precision : precisions) require(precision > 0, "a precision is above 0");
    const std::size_t n = n_parts(first);
    room({n, n, sizeof(double)});
    SampledGraphs found = without_lock([&] { return sample_graphs(moments, {precisions, start, sweeps, burn_in, key, most_columns}); });
    return nb::make_tuple(owned(std::move(found.probabilities)), owned(std::move(found.log_odds)), found.density, found.log_precision);
}

}  // namespace

void bind_gaussian(nb::module_& m) {
    m.def("gaussian_terms", &terms);
    m.def("sample_graphs", &sample);
}

}  // namespace graphoid
