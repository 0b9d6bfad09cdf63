// What Python sees of Gibbs samples of binary networks.
#include <cstdint>

#include "bindings/bind.hpp"
#include "counting/streams.hpp"
#include "models/gibbs.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

// Rows of every chain, one line for each variable; see gibbs.hpp for what the arrays mean.
nb::object gibbs(Array<std::int64_t> first_term, Array<std::int64_t> first_member, Array<std::int64_t> first_cell,
                 Array<std::int32_t> members, Array<std::uint32_t> thresholds, Array<double> log_odds, Array<std::uint64_t> keys,
                 std::size_t times, std::size_t burn_in, std::size_t thin, unsigned threads) {
    const std::size_t n = first_term.shape(0) - 1, groups = keys.shape(0), rows = times * groups * stream_lanes;
    auto out = new_array<std::uint8_t, 2>({n, rows});
    {
        nb::gil_scoped_release free;
        gibbs_sample({n, first_term.data(), first_member.data(), first_cell.data(), members.data(), thresholds.data(), log_odds.data()},
                     keys.data(), groups, times, burn_in, thin, threads, out.data());
    }
    return nb::cast(out);
}

}  // namespace

void bind_gibbs(nb::module_& m) { m.def("gibbs", &gibbs); }

}  // namespace graphoid
