#include "models/gibbs.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "counting/parallel.hpp"
#include "counting/streams.hpp"

namespace graphoid {
namespace {

constexpr std::size_t lanes = stream_lanes;
constexpr std::size_t words = stream_words;

// The cell of a table that each chain's states point to; the first member is the lowest bit.
template <class Index>
void find_cells(const std::uint8_t* states, const std::int32_t* first, const std::int32_t* last, Index* at) {
    std::memset(at, 0, lanes * sizeof(Index));
    while (last != first) {
        std::uint8_t s[lanes];
        std::memcpy(s, states + static_cast<std::size_t>(*--last) * lanes, lanes);
        for (std::size_t c = 0; c < lanes; ++c) at[c] = static_cast<Index>(at[c] + at[c] + s[c]);
    }
}

template <class Value, class Use>
void look_up(const Conditionals& given, std::size_t term, const Value* tables, const std::uint8_t* states, Use use) {
    const std::int32_t* first = given.members + given.first_member[term];
    const std::int32_t* last = given.members + given.first_member[term + 1];
    const Value* table = tables + given.first_cell[term];
    if (last - first <= 8) {  // bytes: four times as many in a vector
        std::uint8_t at[lanes];
        find_cells(states, first, last, at);
        for (std::size_t c = 0; c < lanes; ++c) use(c, table[at[c]]);
    } else {
        std::uint32_t at[lanes];
        find_cells(states, first, last, at);
        for (std::size_t c = 0; c < lanes; ++c) use(c, table[at[c]]);
    }
}

void update(const Conditionals& given, std::size_t v, const std::uint32_t* u, std::uint8_t* states) {
    std::uint8_t next[lanes];  // apart from the states, so that the compiler knows that nothing overlaps
    const auto first = static_cast<std::size_t>(given.first_term[v]), last = static_cast<std::size_t>(given.first_term[v + 1]);
    if (last - first == 1) {
        std::uint32_t threshold[lanes];
        look_up(given, first, given.thresholds, states, [&](std::size_t c, std::uint32_t value) { threshold[c] = value; });
        for (std::size_t c = 0; c < lanes; ++c) next[c] = u[c] < threshold[c];
    } else {
        double total[lanes] = {};
        for (std::size_t t = first; t < last; ++t)
            look_up(given, t, given.log_odds, states, [&](std::size_t c, double value) { total[c] += value; });
        for (std::size_t c = 0; c < lanes; ++c) next[c] = (u[c] + 0.5) * 0x1p-32 < 1.0 / (1.0 + std::exp(-total[c]));
    }
    std::memcpy(states + v * lanes, next, lanes);
}

}  // namespace

void gibbs_sample(const Conditionals& given, const std::uint64_t* keys, std::size_t groups, std::size_t times,
                  std::size_t burn_in, std::size_t thin, unsigned threads, std::uint8_t* out) {
    const std::size_t n = given.n;
    in_parallel(groups, threads, [&](std::size_t g, unsigned) {
        std::vector<std::uint8_t> states(n * lanes);
        std::uint32_t u[lanes];
        std::uint64_t counter = 0;
        for (std::size_t v = 0; v < n; ++v, counter += words) {
            stream_numbers(keys[g], counter, u);
            for (std::size_t c = 0; c < lanes; ++c) states[v * lanes + c] = u[c] < 0x80000000u;
        }
        for (std::size_t time = 0; time < times; ++time) {
            for (std::size_t sweep = time == 0 ? burn_in : thin; sweep > 0; --sweep) {
                check_time();
                for (std::size_t v = 0; v < n; ++v, counter += words) {
                    stream_numbers(keys[g], counter, u);
                    update(given, v, u, states.data());
                }
            }
            for (std::size_t v = 0; v < n; ++v)
                std::memcpy(out + ((v * times + time) * groups + g) * lanes, states.data() + v * lanes, lanes);
        }
    });
}

}  // namespace graphoid
