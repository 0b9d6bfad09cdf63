// What Python sees of Gibbs sampling with any number of states.
#include "bindings/bind.hpp"
#include "counting/streams.hpp"
#include "models/gibbs_multistate.hpp"

namespace graphoid {
namespace {

// How many lines the table of a term must have: see gibbs_multistate.hpp.
double n_lines(const StateConditionals& of, std::int64_t term) {
    const std::int64_t listed = of.first_listed[term + 1] - of.first_listed[term];
    double last = 0;
    for (std::int64_t m = of.first_member[term]; m < of.first_member[term + 1]; ++m)
        last += static_cast<double>(of.arity[of.members[m]] - 1) * static_cast<double>(of.strides[m]);
    require(last < 0x1p62, "the configurations of a term cannot be numbered");
    return listed > 0 ? static_cast<double>(listed) + 1 : last + 1;
}

// Every variable has terms whose tables have all their lines.
void check_tables(const StateConditionals& of, std::size_t n_terms, std::size_t n_levels, std::size_t n_values) {
    for (std::size_t v = 0; v < of.n; ++v) {
        require(!of.fused[v] || of.first_term[v + 1] - of.first_term[v] == 1, "a fused variable has one term");
        const double width = of.fused[v] ? of.arity[v] - 1 : of.arity[v];
        const auto size = static_cast<double>(of.fused[v] ? n_levels : n_values);
        for (std::int64_t t = of.first_term[v]; t < of.first_term[v + 1]; ++t)
            require(of.first_cell[t] >= 0 && static_cast<double>(of.first_cell[t]) + width * n_lines(of, t) <= size,
                    "a table ends before its last cell");
    }
    for (std::size_t t = 0; t < n_terms; ++t)
        require(std::is_sorted(of.listed + of.first_listed[t], of.listed + of.first_listed[t + 1]), "the listed configurations of a term must be sorted");
}

// Rows of every chain, one line for each variable; see gibbs_multistate.hpp for what the arrays mean.
nb::object chains(Array<std::int32_t> arity, Array<std::uint8_t> fused, Array<std::int64_t> first_term, Array<std::int64_t> first_member,
                  Array<std::int64_t> first_listed, Array<std::int64_t> first_cell, Array<std::int32_t> members, Array<std::int64_t> strides,
                  Array<std::int64_t> listed, Array<std::uint32_t> levels, Array<double> values, Array<std::uint64_t> keys, std::size_t times,
                  std::size_t burn_in, std::size_t thin, unsigned threads) {
    const std::size_t n = arity.shape(0), groups = keys.shape(0), rows = room({times, groups, stream_lanes}), n_terms = n_parts(first_member);
    require(std::all_of(arity.data(), arity.data() + n, [](std::int32_t a) { return a > 0 && a <= 65536; }), "a variable has 1 to 65,536 states");
    require(fused.shape(0) == n && divides(first_term, n, n_terms), "first_term must say where the terms of each variable begin");
    require(divides(first_member, n_terms, members.shape(0)), "first_member must say where the members of each term begin");
    require(divides(first_listed, n_terms, listed.shape(0)), "first_listed must say where the configurations of each term begin");
    require(first_cell.shape(0) == n_terms, "there must be a first cell for each term");
    require(all_below(members, n), "a member is no variable");
    require(strides.shape(0) == members.shape(0) && all_below(strides, std::size_t{1} << 62), "every member has a stride, of 0 or more");
    const StateConditionals given{n, arity.data(), fused.data(), first_term.data(), first_member.data(), first_listed.data(), first_cell.data(),
                                  members.data(), strides.data(), listed.data(), levels.data(), values.data()};
    check_tables(given, n_terms, levels.shape(0), values.shape(0));
    auto out = new_array<std::uint16_t, 2>({n, rows});
    without_lock([&] { sample_chains(given, keys.data(), groups, times, burn_in, thin, threads, out.data()); });
    return nb::cast(out);
}

}  // namespace

void bind_gibbs_multistate(nb::module_& m) { m.def("gibbs_multistate", &chains); }

}  // namespace graphoid
