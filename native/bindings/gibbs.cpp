// What Python sees of Gibbs samples of binary networks.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "bindings/bind.hpp"
#include "models/gibbs.hpp"
#include "counting/streams.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

template <class T>
using Plain = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Rows of every chain, one line for each variable; see gibbs.hpp for what the arrays mean.
nb::object gibbs(Plain<std::int64_t> first_term, Plain<std::int64_t> first_member, Plain<std::int64_t> first_cell,
                 Plain<std::int32_t> members, Plain<std::uint32_t> thresholds, Plain<double> log_odds, Plain<std::uint64_t> keys,
                 std::size_t times, std::size_t burn_in, std::size_t thin, unsigned threads) {
    const std::size_t n = first_term.shape(0) - 1, groups = keys.shape(0), rows = times * groups * stream_lanes;
    auto* memory = new std::uint8_t[n * rows];
    nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
    {
        nb::gil_scoped_release free;
        gibbs_sample({n, first_term.data(), first_member.data(), first_cell.data(), members.data(), thresholds.data(), log_odds.data()},
                     keys.data(), groups, times, burn_in, thin, threads, memory);
    }
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>(memory, {n, rows}, owner));
}

}  // namespace

void bind_gibbs(nb::module_& m) { m.def("gibbs", &gibbs); }

}  // namespace graphoid
