#include "counting/counts.hpp"

#include <algorithm>

namespace graphoid {
namespace {

// Sorts codes, one digit of at most 12 bits at a time; the counts of all digits come from one pass.
void sort_codes(std::vector<uint32_t>& codes, std::vector<uint32_t>& other, uint64_t range) {
    unsigned bits = 1;
    while (bits < 32 && (uint64_t{1} << bits) < range) ++bits;
    const unsigned passes = (bits + 11) / 12, digit = (bits + passes - 1) / passes;
    const uint32_t mask = (1u << digit) - 1;
    const size_t buckets = size_t{1} << digit;
    std::vector<uint32_t> start(passes * buckets, 0);
    for (const uint32_t code : codes)
        for (unsigned p = 0; p < passes; ++p) ++start[p * buckets + ((code >> (p * digit)) & mask)];
    other.resize(codes.size());
    for (unsigned p = 0; p < passes; ++p) {
        uint32_t* at = start.data() + p * buckets;
        uint32_t sum = 0;
        for (size_t b = 0; b < buckets; ++b) {
            const uint32_t here = at[b];
            at[b] = sum;
            sum += here;
        }
        const unsigned shift = p * digit;
        for (const uint32_t code : codes) other[at[(code >> shift) & mask]++] = code;
        codes.swap(other);
    }
}

// Equal neighbours become one with a count. No branch, since whether a code is new is hard to guess; and not in
// place, since each store would hold up the next load.
void count_runs(const std::vector<uint32_t>& codes, std::vector<uint32_t>& ends, Occurring& out) {
    const size_t n = codes.size();
    ends.resize(n);
    out.codes.resize(n);
    size_t k = 0;
    for (size_t i = 0; i < n; ++i) {
        out.codes[k] = codes[i];
        ends[k] = static_cast<uint32_t>(i);  // each row of a run writes its index: the last one stays
        k += i + 1 == n || codes[i + 1] != codes[i];
    }
    out.codes.resize(k);
    out.counts.resize(k);
    int64_t before = -1;
    for (size_t r = 0; r < k; ++r) {
        out.counts[r] = int64_t{ends[r]} - before;
        before = ends[r];
    }
}

// Leaves out configurations with holes; codes are those of the states then.
void drop_holes(const Dataset& data, const std::vector<int>& variables, Occurring& found) {
    size_t kept = 0;
    for (size_t i = 0; i < found.codes.size(); ++i) {
        uint32_t rest = found.codes[i], code = 0, unit = 1;
        bool hole = false;
        for (size_t k = variables.size(); k-- > 0;) {
            const Column& column = data.columns[variables[k]];
            hole |= column.holes && rest % column.arity == column.states();
            code += rest % column.arity * unit;
            unit *= column.states();
            rest /= column.arity;
        }
        if (hole) continue;
        found.codes[kept] = code;
        found.counts[kept++] = found.counts[i];
    }
    found.codes.resize(kept);
    found.counts.resize(kept);
}

}  // namespace

Occurring count_occurring(const Dataset& data, const std::vector<int>& variables) {
    Occurring out;
    double range = 1;
    for (const int v : variables) range *= data.columns[v].arity;
    if (range <= 4294967296.0 && data.units == nullptr) {
        static thread_local std::vector<uint32_t> codes, spare;  // fresh memory costs as much as sorting
        codes.resize(data.n_rows);
        for (size_t start = 0; start < data.n_rows; start += kChunk)
            data.mix(codes.data() + start, variables, start, std::min(kChunk, data.n_rows - start));
        sort_codes(codes, spare, static_cast<uint64_t>(range));
        count_runs(codes, spare, out);
        if (data.holes(variables)) drop_holes(data, variables, out);
        return out;
    }
    Slices slices;
    make_slices(slices, data, variables, true);
    out.rows.assign(slices.kept(), 0);
    out.counts.assign(slices.kept(), 0);
    for (size_t i = data.n_rows; i-- > 0;) {
        const uint32_t id = slices[i];
        if (id >= slices.kept()) continue;
        out.rows[id] = static_cast<uint32_t>(i);
        add_units(out.counts[id], data.units != nullptr ? data.units[i] : 1);
    }
    return out;
}

}  // namespace graphoid
