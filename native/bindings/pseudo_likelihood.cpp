// What Python sees of pseudo-likelihoods.
#include <memory>

#include "bindings/columns.hpp"
#include "bindings/vectors.hpp"
#include "models/pseudo_likelihood.hpp"

namespace graphoid {
namespace {

template <class Code>
void set_column(DistinctRows& rows, std::size_t v, nb::handle column, std::size_t n_rows) {
    Array<Code> codes;
    if (!nb::try_cast(column, codes, false)) throw nb::type_error("a column must be a contiguous array of uint8 or uint16");
    require(codes.shape(0) == n_rows, "columns and weights differ in length");
    require(all_below(codes, rows.arity(v)), "a code has no state");
    rows.set_column(v, codes.data());
}

DistinctRows* new_rows(nb::list columns, const std::vector<std::uint32_t>& arities, Array<double> weights) {
    const std::size_t n_rows = weights.shape(0);
    const nb::tuple listed(columns);
    require(listed.size() == arities.size(), "columns and arities differ in number");
    check_arities(arities);
    auto rows = std::make_unique<DistinctRows>(arities, std::vector<double>(weights.data(), weights.data() + n_rows),
                                               choose_simd(nullptr));
    for (std::size_t v = 0; v < arities.size(); ++v)
        if (nb::isinstance<Array<std::uint8_t>>(listed[v]))
            set_column<std::uint8_t>(*rows, v, listed[v], n_rows);
        else
            set_column<std::uint16_t>(*rows, v, listed[v], n_rows);
    return rows.release();
}

Terms* new_terms(const DistinctRows& rows, Array<std::int64_t> first_member, Array<std::int32_t> variable, Array<std::int32_t> state) {
    const std::size_t n_features = n_parts(first_member);
    require(divides(first_member, n_features, variable.shape(0)), "first_member must say where the members of each feature begin");
    require(state.shape(0) == variable.shape(0), "there must be one state for each variable");
    for (std::size_t i = 0; i < variable.shape(0); ++i) {
        const std::int32_t v = variable.data()[i], s = state.data()[i];
        if (v < 0 || static_cast<std::size_t>(v) >= rows.n() || s < 0 || static_cast<std::uint32_t>(s) >= rows.arity(static_cast<std::size_t>(v)))
            throw nb::value_error("a feature mentions a state that is not there");
    }
    return new Terms(rows, n_features, first_member.data(), variable.data(), state.data());
}

void check(const DistinctRows& rows, const Terms& model, const Array<double>& weights, const Terms& scored) {
    require(model.fits(rows) && scored.fits(rows), "features were made for other variables than the rows have");
    require(weights.shape(0) == model.n_features(), "one weight for each feature is needed");
}

nb::tuple evaluate(const DistinctRows& rows, const Terms& model, Array<double> weights, nb::object direction, const Terms& scored,
                    unsigned threads) {
    check(rows, model, weights, scored);
    Array<double> along;
    if (!direction.is_none()) {
        if (!nb::try_cast(direction, along)) throw nb::type_error("a direction is an array of doubles");
        require(along.shape(0) == model.n_features(), "one direction for each feature is needed");
    }
    std::vector<double> out(scored.n_features());
    const double* moves = direction.is_none() ? nullptr : along.data();
    const double value = without_lock([&] { return pseudo_likelihood(rows, model, weights.data(), moves, scored, threads, out.data()); });
    return nb::make_tuple(value, owned(std::move(out)));
}

nb::tuple gains(const DistinctRows& rows, const Terms& model, Array<double> weights, const Terms& scored, unsigned threads) {
    check(rows, model, weights, scored);
    std::vector<double> slope(scored.n_features()), curvature(scored.n_features());
    without_lock([&] { pseudo_likelihood_gains(rows, model, weights.data(), scored, threads, slope.data(), curvature.data()); });
    return nb::make_tuple(owned(std::move(slope)), owned(std::move(curvature)));
}

}  // namespace

void bind_pseudo_likelihood(nb::module_& m) {
    nb::class_<DistinctRows>(m, "DistinctRows").def(nb::new_(&new_rows));
    nb::class_<Terms>(m, "Terms").def(nb::new_(&new_terms));
    m.def("pseudo_likelihood", &evaluate, nb::arg("rows"), nb::arg("model"), nb::arg("weights"), nb::arg("direction").none(),
          nb::arg("scored"), nb::arg("threads"));
    m.def("pseudo_likelihood_gains", &gains);
}

}  // namespace graphoid
