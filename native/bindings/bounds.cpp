// What Python sees of what answers prove.
#include "bindings/bind.hpp"
#include "bindings/words.hpp"
#include "graphs/bounds.hpp"

namespace graphoid {
namespace {

using Words = Array<Word>;
using Positions = Array<std::int32_t>;

// Two variables and a set of them for every fact.
void check(std::size_t n, const Positions& x, const Positions& y, const Words& given) {
    require(y.shape(0) == x.shape(0) && given.shape(0) == x.shape(0), "x, y and given differ in length");
    require(all_below(x, n) && all_below(y, n) && all_within(given.data(), given.shape(0), n), "a fact names a variable that is not there");
}

// Of those together the first `n_settled` were followed up before. Returns both graphs; what is given of those apart; what
// is given and the group of those together; which of either the graphs do not say; and the decided pairs, as
// (x, y, joined, fact) one after the other.
nb::tuple tighten(Words lower, Words upper, Positions apart_x, Positions apart_y, Words apart_given, Positions together_x,
                  Positions together_y, Words together_given, Words group, std::size_t n_settled) {
    if (lower.shape(0) > 64 || lower.shape(0) != upper.shape(0)) throw nb::value_error("bounds are two graphs of at most 64 variables");
    const std::size_t n = lower.shape(0);
    require(all_within(lower.data(), n, n) && all_within(upper.data(), n, n), "a graph names a variable that is not there");
    check(n, apart_x, apart_y, apart_given);
    check(n, together_x, together_y, together_given);
    require(group.shape(0) == together_x.shape(0) && all_within(group.data(), group.shape(0), n), "there must be a group of variables for those together");
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
    without_lock([&] {
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
    });
    return nb::make_tuple(owned(std::move(bounds.lower)), owned(std::move(bounds.upper)), owned(std::move(apart)),
                          owned(std::move(apart_open)), owned(std::move(given)), owned(std::move(groups)),
                          owned(std::move(together_open)), owned(std::move(decided)));
}

}  // namespace

void bind_bounds(nb::module_& m) { m.def("tighten_bounds", &tighten); }

}  // namespace graphoid
