// What Python sees of Gibbs samples of binary networks.
#include "bindings/bind.hpp"
#include "counting/streams.hpp"
#include "models/gibbs.hpp"

namespace graphoid {
namespace {

// Every term looks at variables that are there and has a table with all its cells.
void check(std::size_t n, const Array<std::int64_t>& first_term, const Array<std::int64_t>& first_member, const Array<std::int64_t>& first_cell,
           const Array<std::int32_t>& members, std::size_t n_thresholds, std::size_t n_log_odds) {
    const std::size_t n_terms = n_parts(first_member);
    require(divides(first_term, n, n_terms), "first_term must say where the terms of each variable begin");
    require(divides(first_member, n_terms, members.shape(0)), "first_member must say where the members of each term begin");
    require(first_cell.shape(0) == n_terms, "there must be a first cell for each term");
    require(all_below(members, n), "a member is no variable");
    for (std::size_t v = 0; v < n; ++v) {
        const std::int64_t first = first_term.data()[v], last = first_term.data()[v + 1];
        const std::size_t size = last - first == 1 ? n_thresholds : n_log_odds;
        for (std::int64_t t = first; t < last; ++t) {
            const std::int64_t width = first_member.data()[t + 1] - first_member.data()[t], at = first_cell.data()[t];
            require(width < 32 && at >= 0 && static_cast<std::size_t>(at) <= size && std::size_t{1} << width <= size - static_cast<std::size_t>(at),
                    "a table ends before its last cell");
        }
    }
}

// Rows of every chain, one line for each variable; see gibbs.hpp for what the arrays mean.
nb::object gibbs(Array<std::int64_t> first_term, Array<std::int64_t> first_member, Array<std::int64_t> first_cell,
                 Array<std::int32_t> members, Array<std::uint32_t> thresholds, Array<double> log_odds, Array<std::uint64_t> keys,
                 std::size_t times, std::size_t burn_in, std::size_t thin, unsigned threads) {
    const std::size_t n = n_parts(first_term), groups = keys.shape(0), rows = room({times, groups, stream_lanes});
    check(n, first_term, first_member, first_cell, members, thresholds.shape(0), log_odds.shape(0));
    auto out = new_array<std::uint8_t, 2>({n, rows});
    without_lock([&] { gibbs_sample({n, first_term.data(), first_member.data(), first_cell.data(), members.data(), thresholds.data(), log_odds.data()},
                                    keys.data(), groups, times, burn_in, thin, threads, out.data()); });
    return nb::cast(out);
}

}  // namespace

void bind_gibbs(nb::module_& m) { m.def("gibbs", &gibbs); }

}  // namespace graphoid
