// What Python sees of Gibbs sampling with any number of states.
#include <cstdint>

#include "bindings/bind.hpp"
#include "counting/streams.hpp"
#include "models/gibbs_multistate.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

// Rows of every chain, one line for each variable; see gibbs_multistate.hpp for what the arrays mean.
nb::object chains(Array<std::int32_t> arity, Array<std::uint8_t> fused, Array<std::int64_t> first_term, Array<std::int64_t> first_member,
                  Array<std::int64_t> first_listed, Array<std::int64_t> first_cell, Array<std::int32_t> members, Array<std::int64_t> strides,
                  Array<std::int64_t> listed, Array<std::uint32_t> levels, Array<double> values, Array<std::uint64_t> keys, std::size_t times,
                  std::size_t burn_in, std::size_t thin, unsigned threads) {
    const std::size_t n = arity.shape(0), groups = keys.shape(0), rows = times * groups * stream_lanes;
    auto out = new_array<std::uint16_t, 2>({n, rows});
    {
        nb::gil_scoped_release free;
        sample_chains({n, arity.data(), fused.data(), first_term.data(), first_member.data(), first_listed.data(), first_cell.data(),
                       members.data(), strides.data(), listed.data(), levels.data(), values.data()},
                      keys.data(), groups, times, burn_in, thin, threads, out.data());
    }
    return nb::cast(out);
}

}  // namespace

void bind_gibbs_multistate(nb::module_& m) { m.def("gibbs_multistate", &chains); }

}  // namespace graphoid
