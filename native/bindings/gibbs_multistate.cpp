// What Python sees of Gibbs sampling with any number of states.
#include <cstdint>

#include "bindings/bind.hpp"
#include "models/gibbs_multistate.hpp"
#include "counting/streams.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

template <class T>
using Plain = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Rows of every chain, one line for each variable; see gibbs_multistate.hpp for what the arrays mean.
nb::object chains(Plain<std::int32_t> arity, Plain<std::uint8_t> fused, Plain<std::int64_t> first_term, Plain<std::int64_t> first_member,
                  Plain<std::int64_t> first_listed, Plain<std::int64_t> first_cell, Plain<std::int32_t> members, Plain<std::int64_t> strides,
                  Plain<std::int64_t> listed, Plain<std::uint32_t> levels, Plain<double> values, Plain<std::uint64_t> keys, std::size_t times,
                  std::size_t burn_in, std::size_t thin, unsigned threads) {
    const std::size_t n = arity.shape(0), groups = keys.shape(0), rows = times * groups * stream_lanes;
    auto* memory = new std::uint16_t[n * rows];
    nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<std::uint16_t*>(p); });
    {
        nb::gil_scoped_release free;
        sample_chains({n, arity.data(), fused.data(), first_term.data(), first_member.data(), first_listed.data(), first_cell.data(),
                       members.data(), strides.data(), listed.data(), levels.data(), values.data()},
                      keys.data(), groups, times, burn_in, thin, threads, memory);
    }
    return nb::cast(nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>(memory, {n, rows}, owner));
}

}  // namespace

void bind_chains(nb::module_& m) { m.def("chains", &chains); }

}  // namespace graphoid
