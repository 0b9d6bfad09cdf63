// What Python sees of what answers prove.
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/bind.hpp"
#include "graphs/bounds.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

using Words = Array<Word>;
using Positions = Array<std::int32_t>;

// Of those together the first `n_settled` were followed up before. Returns both graphs; what is given of those apart; what
// is given and the group of those together; which of either the graphs do not say; and the decided pairs, as
// (x, y, joined, fact) one after the other.
nb::tuple tighten(Words lower, Words upper, Positions apart_x, Positions apart_y, Words apart_given, Positions together_x,
                  Positions together_y, Words together_given, Words group, std::size_t n_settled) {
    if (lower.shape(0) > 64 || lower.shape(0) != upper.shape(0)) throw nb::value_error("bounds are two graphs of at most 64 variables");
    Bounds bounds;
    bounds.n = static_cast<int>(lower.shape(0));
    bounds.lower.assign(lower.data(), lower.data() + lower.shape(0));
    bounds.upper.assign(upper.data(), upper.data() + upper.shape(0));
    for (std::size_t i = 0; i < apart_x.shape(0); ++i) bounds.apart.push_back({apart_x.data()[i], apart_y.data()[i], apart_given.data()[i]});
    for (std::size_t i = 0; i < together_x.shape(0); ++i)
        bounds.together.push_back({together_x.data()[i], together_y.data()[i], together_given.data()[i], group.data()[i], i < n_settled});
    std::vector<Word> apart, given, groups;
    std::vector<std::uint8_t> apart_open, together_open;
    std::vector<std::int64_t> decided;
    {
        nb::gil_scoped_release released;
        bounds.tighten();
        for (const Apart& a : bounds.apart) {
            apart.push_back(a.given);
            apart_open.push_back(!separated(bounds.upper.data(), a.x, a.y, a.given));
        }
        for (const Together& t : bounds.together) {
            given.push_back(t.given);
            groups.push_back(t.group);
            together_open.push_back(separated(bounds.lower.data(), t.x, t.y, t.given));
        }
        for (const Decision& d : bounds.decided)
            for (const std::int64_t value : {std::int64_t{d.x}, std::int64_t{d.y}, std::int64_t{d.joined}, static_cast<std::int64_t>(d.fact)})
                decided.push_back(value);
    }
    return nb::make_tuple(owned(std::move(bounds.lower)), owned(std::move(bounds.upper)), owned(std::move(apart)),
                          owned(std::move(apart_open)), owned(std::move(given)), owned(std::move(groups)),
                          owned(std::move(together_open)), owned(std::move(decided)));
}

}  // namespace

void bind_bounds(nb::module_& m) { m.def("tighten_bounds", &tighten); }

}  // namespace graphoid
