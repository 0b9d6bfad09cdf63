#include "counting/counts.hpp"

#include <algorithm>
#include <cstring>

#include "counting/holes.hpp"
#include "counting/parallel.hpp"
#include "counting/planes.hpp"

namespace graphoid {
namespace {

constexpr size_t kInterleaved = 2048;  // cells up to which four histograms side by side stay there too

// Codes come four to a load: the ports are busy enough with the histograms.
inline void load4(const uint16_t* code, uint32_t out[4]) {
    uint64_t u;
    std::memcpy(&u, code, sizeof u);
    for (unsigned k = 0; k < 4; ++k) out[k] = static_cast<uint32_t>(u >> (16 * k)) & 0xffffu;
}
inline void load4(const uint32_t* code, uint32_t out[4]) { std::memcpy(out, code, 16); }

template <class Code>
__attribute__((noinline)) void scatter(const Code* code, size_t n, uint32_t* h, size_t stride) {
    uint32_t *h0 = h, *h1 = h + stride, *h2 = h + 2 * stride, *h3 = h + 3 * stride;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint32_t a[4], b[4];
        load4(code + i, a);
        load4(code + i + 4, b);
        ++h0[a[0]];
        ++h1[a[1]];
        ++h2[a[2]];
        ++h3[a[3]];
        ++h0[b[0]];
        ++h1[b[1]];
        ++h2[b[2]];
        ++h3[b[3]];
    }
    for (; i < n; ++i) ++h0[code[i]];
}

// A table of counts as one histogram, or four side by side where these stay in the first cache.
class Histogram {
public:
    Histogram(std::vector<uint32_t>& table, size_t cells) : table_(table), cells_(cells), stride_(cells <= kInterleaved ? cells : 0) {
        if (table_.size() < cells_ + 3 * stride_) table_.resize(cells_ + 3 * stride_, 0);
    }
    template <class Code>
    void add(const Code* code, size_t n) {
        scatter(code, n, table_.data(), stride_);
    }
    size_t stride() const { return stride_; }
    // Leaves the counts in the first of the four.
    void fold() {
        if (stride_ == 0) return;
        uint32_t* h = table_.data();
        for (size_t i = 0; i < cells_; ++i) h[i] += h[i + stride_] + h[i + 2 * stride_] + h[i + 3 * stride_];
        std::fill_n(h + stride_, 3 * stride_, 0);
    }

private:
    std::vector<uint32_t>& table_;
    size_t cells_, stride_;
};

template <class Code>
void scatter_weights(const Code* code, const int64_t* units, size_t n, int64_t* h) {
    for (size_t i = 0; i < n; ++i) add_units(h[code[i]], units[i]);
}

// The cell of every row from `start` on, for tables of up to 65,536 cells of narrow columns ...
const uint16_t* cells16(const Dataset& data, const Slices* slices, const Column& x, const Column& y, size_t start,
                        size_t n, Scratch& scratch) {
    const uint16_t* ids = slices != nullptr && slices->n > 1 ? slices->ids16.data() + start : nullptr;
    data.simd.cell16(scratch.code16.data(), ids, x.narrow + start, y.narrow + start, static_cast<uint16_t>(x.arity),
                     static_cast<uint16_t>(y.arity), n);
    return scratch.code16.data();
}

// ... and for all others.
const uint32_t* cells32(const Dataset& data, const Slices* slices, const Column& x, const Column& y, size_t start,
                        size_t n, Scratch& scratch) {
    uint32_t* code = scratch.code32.data();
    const bool one = slices == nullptr || slices->n <= 1;
    const bool wide_ids = !one && !slices->ids32.empty();
    if (x.narrow != nullptr && y.narrow != nullptr && (one || wide_ids)) {
        data.simd.cell32(code, one ? nullptr : slices->ids32.data() + start, x.narrow + start, y.narrow + start,
                         x.arity, y.arity, n);
        return code;
    }
    for (size_t i = 0; i < n; ++i) {
        const uint32_t slice = one ? 0 : wide_ids ? slices->ids32[start + i] : slices->ids16[start + i];
        code[i] = (slice * x.arity + x[start + i]) * y.arity + y[start + i];
    }
    return code;
}

template <class Visit>
void each_chunk(const Dataset& data, const Slices* slices, const Column& x, const Column& y, size_t cells,
                Scratch& scratch, Visit visit) {
    const bool narrow = cells <= 65536 && x.narrow != nullptr && y.narrow != nullptr;
    if (narrow && scratch.code16.size() < kChunk) scratch.code16.resize(kChunk);
    if (!narrow && scratch.code32.size() < kChunk) scratch.code32.resize(kChunk);
    for (size_t start = 0; start < data.n_rows; start += kChunk) {
        const size_t n = std::min(kChunk, data.n_rows - start);
        if (narrow)
            visit(cells16(data, slices, x, y, start, n, scratch), start, n);
        else
            visit(cells32(data, slices, x, y, start, n, scratch), start, n);
    }
}

size_t cell_number(const Slices* slices, const Column& x, const Column& y) {
    return (slices == nullptr ? 1 : slices->n) * static_cast<size_t>(x.arity) * y.arity;
}

}  // namespace

bool planes_pay(const Dataset& data, double passes) {
    return data.units == nullptr && passes * static_cast<double>(data.words) <= data.simd.words_per_row * static_cast<double>(data.n_rows);
}

size_t dense_limit(size_t n_rows) {
    constexpr size_t most = size_t{1} << 32;  // cells are numbered in 32 bits
    return std::min(most, std::max<size_t>(65536, 16 * n_rows));
}

void count_cells(const Dataset& data, const Slices* slices, int x, int y, Scratch& scratch) {
    const Column &cx = data.columns[x], &cy = data.columns[y];
    const size_t cells = cell_number(slices, cx, cy);
    Histogram histogram(scratch.table, cells);
    each_chunk(data, slices, cx, cy, cells, scratch, [&](const auto* code, size_t, size_t n) { histogram.add(code, n); });
    histogram.fold();
}

bool count_mixed(const Dataset& data, const std::vector<int>& variables, Scratch& scratch) {
    constexpr size_t kMaxPairs = 8;  // 16 variables: no more have 65,536 cells, but for constants
    if (variables.empty() || variables.size() > 2 * kMaxPairs) return false;
    size_t cells = 1;
    for (size_t i = 0; i < variables.size(); ++i) {
        const Column& column = data.columns[variables[i]];
        cells *= column.arity;
        const bool paired = i > 0 && (variables.size() - i) % 2 == 1;
        const bool fits = !paired || (column.arity <= 127 && column.arity * data.columns[variables[i - 1]].arity <= 32767);
        if (column.narrow == nullptr || !fits || cells > 65536) return false;
    }
    if (scratch.zeros.size() < data.n_rows && variables.size() % 2 == 1) scratch.zeros.resize(data.n_rows, 0);
    Simd::Pair pairs[kMaxPairs];
    size_t n_pairs = 0, i = 0;
    if (variables.size() % 2 == 1) {  // an odd one goes first, paired with a column of zeros
        const Column& b = data.columns[variables[0]];
        pairs[n_pairs++] = {scratch.zeros.data(), b.narrow, 1, static_cast<uint16_t>(std::min(b.arity, 127u))};
        i = 1;
    }
    for (; i < variables.size(); i += 2) {
        const Column &a = data.columns[variables[i]], &b = data.columns[variables[i + 1]];
        pairs[n_pairs++] = {a.narrow, b.narrow, static_cast<uint16_t>(a.arity * b.arity), static_cast<uint16_t>(b.arity)};
    }
    Histogram histogram(scratch.table, cells);
    data.simd.tabulate(pairs, n_pairs, data.n_rows, scratch.table.data(), histogram.stride());
    histogram.fold();
    return true;
}

void weigh_cells(const Dataset& data, const Slices* slices, int x, int y, Scratch& scratch) {
    const Column &cx = data.columns[x], &cy = data.columns[y];
    const size_t cells = cell_number(slices, cx, cy);
    if (scratch.weighted.size() < cells) scratch.weighted.resize(cells, 0);
    each_chunk(data, slices, cx, cy, cells, scratch, [&](const auto* code, size_t start, size_t n) {
        scatter_weights(code, data.units + start, n, scratch.weighted.data());
    });
}

namespace {

void add_table(std::vector<uint32_t>& table, size_t cells, int64_t* out) {
    for (size_t i = 0; i < cells; ++i) {
        add_units(out[i], table[i]);
        table[i] = 0;
    }
}

template <class Code>
void count_codes(const Dataset& data, const std::vector<int>& variables, int64_t* out) {
    Code code[kChunk];
    for (size_t start = 0; start < data.n_rows; start += kChunk) {
        const size_t n = std::min(kChunk, data.n_rows - start);
        data.mix(code, variables, start, n);
        if (data.units != nullptr)
            scatter_weights(code, data.units + start, n, out);
        else
            for (size_t i = 0; i < n; ++i) add_units(out[code[i]], 1);
    }
}

// Whether bit planes are the cheapest way to a table: few states, few slices.
bool by_planes(const Dataset& data, const std::vector<int>& variables) {
    if (variables.size() < 2) return false;
    double slices = 1;
    for (const int v : variables)
        if (!data.planar(v)) return false;
    for (size_t i = 0; i + 2 < variables.size(); ++i) slices *= data.columns[variables[i]].arity;
    const double rx = data.columns[variables[variables.size() - 2]].arity, ry = data.columns[variables.back()].arity;
    return planes_pay(data, slices * rx * ry);
}

void count_one_table(Dataset& data, const TableJob& job, SliceMasks& masks, Scratch& scratch) {
    const std::vector<int>& variables = job.variables;
    size_t cells = 1;
    for (const int v : variables) cells *= data.columns[v].arity;
    const bool holes = data.holes(variables);
    if (by_planes(data, variables)) {
        const size_t k = variables.size() - 2;
        if (scratch.table.size() < cells) scratch.table.resize(cells, 0);
        const size_t n = masks.table_given(variables.data(), static_cast<int>(k), variables[k], variables[k + 1], true, scratch.table.data());
        const Column &x = data.columns[variables[k]], &y = data.columns[variables[k + 1]];
        drop_holes(x, y, n, scratch.table.data());
        add_table(scratch.table, n * x.states() * y.states(), job.out);
        if (holes) std::fill_n(scratch.table.data(), cells, 0);
    } else if (data.units == nullptr && count_mixed(data, variables, scratch)) {
        add_table(scratch.table, drop_holes(data, variables, scratch.table.data()), job.out);
        if (holes) std::fill_n(scratch.table.data(), cells, 0);
    } else {
        if (holes) scratch.weighted.assign(cells, 0);
        int64_t* out = holes ? scratch.weighted.data() : job.out;
        if (cells <= 65536)
            count_codes<uint16_t>(data, variables, out);
        else
            count_codes<uint32_t>(data, variables, out);
        if (!holes) return;
        const size_t kept = drop_holes(data, variables, out);
        for (size_t i = 0; i < kept; ++i) add_units(job.out[i], out[i]);
        scratch.weighted.assign(cells, 0);
    }
}

}  // namespace

void count_tables(Dataset& data, const std::vector<TableJob>& jobs, unsigned threads) {
    const bool worth = static_cast<double>(jobs.size()) * static_cast<double>(data.n_rows) > 1e6;
    const unsigned n = worth ? n_workers(jobs.size(), threads) : 1;
    std::vector<Scratch> scratch(n);
    std::vector<SliceMasks> masks;
    for (unsigned t = 0; t < n; ++t) masks.emplace_back(data);
    in_parallel(jobs.size(), n, [&](size_t i, unsigned thread) { count_one_table(data, jobs[i], masks[thread], scratch[thread]); });
}

}  // namespace graphoid
