// Values of a column become codes: by their distance from the lowest one, through a table.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace graphoid {

// codes[i] = table[values[i] - low]; returns how many values have no entry (their code is that of the first).
// With `plain`, the table is 0, 1, 2, ... and is not looked at.
template <class Value, class Code>
std::size_t recode(const Value* values, std::size_t n, std::int64_t low, const Code* table, std::size_t span, bool plain,
                   Code* codes) {
    constexpr std::size_t kBlock = 4096;
    // without signs, for a difference of two of 64 bits may need 65
    const auto distance = [low](Value value) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) - static_cast<std::uint64_t>(low);
    };
    std::size_t strangers = 0;
    for (std::size_t start = 0; start < n; start += kBlock) {
        const std::size_t stop = std::min(n, start + kBlock);
        std::uint64_t largest = 0;
        for (std::size_t i = start; i < stop; ++i) {
            const std::uint64_t at = distance(values[i]);
            largest = std::max(largest, at);
        }
        if (largest < span) {
            if (plain)
                for (std::size_t i = start; i < stop; ++i) codes[i] = static_cast<Code>(distance(values[i]));
            else
                for (std::size_t i = start; i < stop; ++i) codes[i] = table[distance(values[i])];
            continue;
        }
        for (std::size_t i = start; i < stop; ++i) {
            const std::uint64_t at = distance(values[i]);
            strangers += at >= span;
            codes[i] = table[at < span ? at : 0];
        }
    }
    return strangers;
}

}  // namespace graphoid
