// What Python sees of sampling given evidence.
#include "bindings/bind.hpp"
#include "models/gibbs_conditional.hpp"

namespace graphoid {
namespace {

// One mean for each row and hidden variable, in a line; see gibbs_conditional.hpp for what the arrays mean.
nb::object sample(std::size_t n_hidden, Array<double> weight, Array<std::int64_t> first_evidence, Array<std::int32_t> evidence,
                   Array<std::int32_t> evidence_state, Array<std::int64_t> first_hidden, Array<std::int32_t> hidden,
                   Array<std::int32_t> hidden_state, Array<std::uint8_t, 2> rows,
                   Array<std::uint64_t> keys, std::size_t n_chains, std::size_t burn_in, std::size_t n_samples, unsigned threads) {
    if (keys.shape(0) != rows.shape(0)) throw nb::value_error("one key for each row is needed");
    const std::size_t n_features = weight.shape(0);
    require(divides(first_evidence, n_features, evidence.shape(0)), "first_evidence must say where the evidence of each feature begins");
    require(divides(first_hidden, n_features, hidden.shape(0)), "first_hidden must say where the hidden variables of each feature begin");
    require(evidence_state.shape(0) == evidence.shape(0) && hidden_state.shape(0) == hidden.shape(0), "there must be one state for each variable");
    require(all_below(evidence, rows.shape(1)) && all_below(hidden, n_hidden), "a feature mentions a variable that is not there");
    room({n_hidden, n_hidden, sizeof(double)});
    std::vector<double> out(room({rows.shape(0), n_hidden, sizeof(double)}) / sizeof(double));
    without_lock([&] { gibbs_conditional({n_features, n_hidden, weight.data(), first_evidence.data(), evidence.data(), evidence_state.data(),
                                          first_hidden.data(), hidden.data(), hidden_state.data()},
                                         rows.data(), rows.shape(0), rows.shape(1), keys.data(), {n_chains, burn_in, n_samples}, threads, out.data()); });
    return nb::cast(owned(std::move(out)));
}

}  // namespace

void bind_gibbs_conditional(nb::module_& m) { m.def("gibbs_conditional", &sample); }

}  // namespace graphoid
