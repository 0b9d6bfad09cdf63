// What Python sees of sampling given evidence.
#include <cstdint>
#include <vector>

#include "bindings/bind.hpp"
#include "models/gibbs_conditional.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

// One mean for each row and hidden variable, in a line; see gibbs_conditional.hpp for what the arrays mean.
nb::object sample(std::size_t n_hidden, Array<double> weight, Array<std::int64_t> first_evidence, Array<std::int32_t> evidence,
                   Array<std::int32_t> evidence_state, Array<std::int64_t> first_hidden, Array<std::int32_t> hidden,
                   Array<std::int32_t> hidden_state, Array<std::uint8_t, 2> rows,
                   Array<std::uint64_t> keys, std::size_t n_chains, std::size_t burn_in, std::size_t n_samples, unsigned threads) {
    if (keys.shape(0) != rows.shape(0)) throw nb::value_error("one key for each row is needed");
    std::vector<double> out(rows.shape(0) * n_hidden);
    {
        nb::gil_scoped_release free;
        gibbs_conditional({weight.shape(0), n_hidden, weight.data(), first_evidence.data(), evidence.data(), evidence_state.data(),
                           first_hidden.data(), hidden.data(), hidden_state.data()},
                          rows.data(), rows.shape(0), rows.shape(1), keys.data(), {n_chains, burn_in, n_samples}, threads, out.data());
    }
    return nb::cast(owned(std::move(out)));
}

}  // namespace

void bind_gibbs_conditional(nb::module_& m) { m.def("gibbs_conditional", &sample); }

}  // namespace graphoid
