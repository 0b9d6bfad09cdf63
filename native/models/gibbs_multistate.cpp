#include "models/gibbs_multistate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "counting/parallel.hpp"
#include "counting/streams.hpp"

namespace graphoid {
namespace {

constexpr std::size_t lanes = stream_lanes;

// The line of a term's table that each chain's states point to.
void find_lines(const StateConditionals& given, std::size_t term, const std::uint16_t* states, std::int64_t* line) {
    std::memset(line, 0, lanes * sizeof(std::int64_t));
    for (std::int64_t m = given.first_member[term]; m < given.first_member[term + 1]; ++m) {
        std::uint16_t s[lanes];
        std::memcpy(s, states + static_cast<std::size_t>(given.members[m]) * lanes, sizeof s);
        const std::int64_t stride = given.strides[m];
        for (std::size_t c = 0; c < lanes; ++c) line[c] += s[c] * stride;
    }
    const std::int64_t* first = given.listed + given.first_listed[term];
    const std::int64_t* last = given.listed + given.first_listed[term + 1];
    if (first == last) return;
    for (std::size_t c = 0; c < lanes; ++c) {
        const std::int64_t* at = std::lower_bound(first, last, line[c]);
        line[c] = (at != last && *at == line[c] ? at : last) - first;
    }
}

// One table with the cumulative probabilities of each line.
void update_fused(const StateConditionals& given, std::size_t v, const std::uint32_t* u, std::uint16_t* next, const std::uint16_t* states) {
    const auto term = static_cast<std::size_t>(given.first_term[v]);
    const std::int64_t width = given.arity[v] - 1;
    std::int64_t line[lanes];
    find_lines(given, term, states, line);
    const std::uint32_t* levels = given.levels + given.first_cell[term];
    std::memset(next, 0, lanes * sizeof(std::uint16_t));
    for (std::int64_t s = 0; s < width; ++s)
        for (std::size_t c = 0; c < lanes; ++c)
            next[c] = static_cast<std::uint16_t>(next[c] + ((u[c] >> 1) >= levels[line[c] * width + s]));
}

// Several tables of logarithms: their sum is made a distribution here. `total` has room for arity x lanes numbers.
void update_summed(const StateConditionals& given, std::size_t v, const std::uint32_t* u, std::uint16_t* next, const std::uint16_t* states,
                   double* total) {
    const auto arity = static_cast<std::size_t>(given.arity[v]);
    std::fill(total, total + arity * lanes, 0.0);
    for (std::int64_t t = given.first_term[v]; t < given.first_term[v + 1]; ++t) {
        std::int64_t line[lanes];
        find_lines(given, static_cast<std::size_t>(t), states, line);
        const double* values = given.values + given.first_cell[t];
        for (std::size_t s = 0; s < arity; ++s)
            for (std::size_t c = 0; c < lanes; ++c) total[s * lanes + c] += values[static_cast<std::size_t>(line[c]) * arity + s];
    }
    double top[lanes], sum[lanes] = {};
    std::memcpy(top, total, sizeof top);
    for (std::size_t s = 1; s < arity; ++s)
        for (std::size_t c = 0; c < lanes; ++c) top[c] = std::max(top[c], total[s * lanes + c]);
    for (std::size_t s = 0; s < arity; ++s)
        for (std::size_t c = 0; c < lanes; ++c) {
            sum[c] += std::exp(total[s * lanes + c] - top[c]);
            total[s * lanes + c] = sum[c];  // cumulative from here on
        }
    std::memset(next, 0, lanes * sizeof(std::uint16_t));
    for (std::size_t s = 0; s + 1 < arity; ++s)
        for (std::size_t c = 0; c < lanes; ++c)
            next[c] = static_cast<std::uint16_t>(next[c] + (((u[c] >> 1) + 0.5) * 0x1p-31 * sum[c] >= total[s * lanes + c]));
}

}  // namespace

void sample_chains(const StateConditionals& given, const std::uint64_t* keys, std::size_t groups, std::size_t times,
                   std::size_t burn_in, std::size_t thin, unsigned threads, std::uint16_t* out) {
    const std::size_t n = given.n;
    const auto widest = static_cast<std::size_t>(n ? *std::max_element(given.arity, given.arity + n) : 1);
    in_parallel(groups, threads, [&](std::size_t g, unsigned) {
        std::vector<std::uint16_t> states(n * lanes);
        std::vector<double> total(widest * lanes);
        std::uint32_t u[lanes];
        std::uint16_t next[lanes];  // apart from the states, so that the compiler knows that nothing overlaps
        std::uint64_t counter = 0;
        for (std::size_t v = 0; v < n; ++v, counter += stream_words) {
            stream_numbers(keys[g], counter, u);
            for (std::size_t c = 0; c < lanes; ++c)
                states[v * lanes + c] = static_cast<std::uint16_t>(std::uint64_t{u[c]} * static_cast<std::uint64_t>(given.arity[v]) >> 32);
        }
        for (std::size_t time = 0; time < times; ++time) {
            for (std::size_t sweep = time == 0 ? burn_in : thin; sweep > 0; --sweep) {
                check_time();
                for (std::size_t v = 0; v < n; ++v, counter += stream_words) {
                    stream_numbers(keys[g], counter, u);
                    if (given.fused[v])
                        update_fused(given, v, u, next, states.data());
                    else
                        update_summed(given, v, u, next, states.data(), total.data());
                    std::memcpy(states.data() + v * lanes, next, sizeof next);
                }
            }
            for (std::size_t v = 0; v < n; ++v)
                std::memcpy(out + ((v * times + time) * groups + g) * lanes, states.data() + v * lanes, lanes * sizeof(std::uint16_t));
        }
    });
}

}  // namespace graphoid
