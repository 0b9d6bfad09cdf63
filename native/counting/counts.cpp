#include "counting/counts.hpp"

#include <algorithm>
#include <cstring>

#include "counting/parallel.hpp"
#include "counting/planes.hpp"

namespace graphoid {
namespace {

using std::int64_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr size_t kChunk = 4096;          // rows whose codes stay in the first cache
constexpr size_t kInterleaved = 2048;    // cells up to which four histograms side by side stay there too

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
    for (size_t i = 0; i < n; ++i) h[code[i]] += units[i];
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

size_t dense_limit(size_t n_rows) { return std::max<size_t>(65536, 16 * n_rows); }

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

void widen_table(std::vector<uint32_t>& table, size_t cells, int64_t* out) {
    for (size_t i = 0; i < cells; ++i) {
        out[i] = table[i];
        table[i] = 0;
    }
}

void add_table(std::vector<uint32_t>& table, size_t cells, int64_t* out) {
    for (size_t i = 0; i < cells; ++i) {
        out[i] += table[i];
        table[i] = 0;
    }
}

// Mixed-radix code of `variables` for the rows from `start` on.
template <class Code>
void mixed_codes(const Dataset& data, const std::vector<int>& variables, size_t start, size_t n, Code* code) {
    std::fill(code, code + n, Code{0});
    for (const int v : variables) data.mix(code, v, start, n);
}

template <class Code>
void count_codes(const Dataset& data, const std::vector<int>& variables, int64_t* out) {
    Code code[kChunk];
    for (size_t start = 0; start < data.n_rows; start += kChunk) {
        const size_t n = std::min(kChunk, data.n_rows - start);
        mixed_codes(data, variables, start, n, code);
        if (data.units != nullptr)
            scatter_weights(code, data.units + start, n, out);
        else
            for (size_t i = 0; i < n; ++i) ++out[code[i]];
    }
}

}  // namespace

namespace {

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
    if (by_planes(data, variables)) {
        const size_t k = variables.size() - 2;
        if (scratch.table.size() < cells) scratch.table.resize(cells, 0);
        masks.table_given(variables.data(), static_cast<int>(k), variables[k], variables[k + 1], true, scratch.table.data());
        add_table(scratch.table, cells, job.out);
    } else if (data.units == nullptr && count_mixed(data, variables, scratch)) {
        add_table(scratch.table, cells, job.out);
    } else if (cells <= 65536) {
        count_codes<uint16_t>(data, variables, job.out);
    } else {
        count_codes<uint32_t>(data, variables, job.out);
    }
}

}  // namespace

void count_tables(Dataset& data, const std::vector<TableJob>& jobs, unsigned threads) {
    const bool worth = static_cast<double>(jobs.size()) * static_cast<double>(data.n_rows) > 1e6;
    const unsigned n = worth ? std::max(1u, threads) : 1;
    std::vector<Scratch> scratch(n);
    std::vector<SliceMasks> masks;
    for (unsigned t = 0; t < n; ++t) masks.emplace_back(data);
    in_parallel(jobs.size(), n, [&](size_t i, unsigned thread) { count_one_table(data, jobs[i], masks[thread], scratch[thread]); });
}

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

}  // namespace

Occurring count_occurring(const Dataset& data, const std::vector<int>& variables) {
    Occurring out;
    double range = 1;
    for (const int v : variables) range *= data.columns[v].arity;
    if (range <= 4294967296.0 && data.units == nullptr) {
        static thread_local std::vector<uint32_t> codes, spare;  // fresh memory costs as much as sorting
        codes.resize(data.n_rows);
        for (size_t start = 0; start < data.n_rows; start += kChunk)
            mixed_codes(data, variables, start, std::min(kChunk, data.n_rows - start), codes.data() + start);
        sort_codes(codes, spare, static_cast<uint64_t>(range));
        count_runs(codes, spare, out);
        return out;
    }
    Slices slices;
    make_slices(slices, data, variables, true);
    out.rows.assign(slices.n, 0);
    out.counts.assign(slices.n, 0);
    for (size_t i = data.n_rows; i-- > 0;) {
        const uint32_t id = slices[i];
        out.rows[id] = static_cast<uint32_t>(i);
        out.counts[id] += data.units != nullptr ? data.units[i] : 1;
    }
    return out;
}

bool HubTally::pays(const Dataset& data, double slices, int hub, size_t others) {
    // Emptying the counters of a group costs about as much as 16 of its rows.
    return others >= kEnough && 16 * slices * data.columns[hub].arity <= static_cast<double>(data.n_rows);
}

HubTally::HubTally(Dataset& data, const Slices* slices, int hub)
    : data_(data), slices_(slices == nullptr ? 1 : slices->n), hub_arity_(data.columns[hub].arity) {
    const size_t n = data.n_rows, groups = slices_ * hub_arity_;
    const Column& column = data.columns[hub];
    std::vector<uint32_t> group(n);
    for (size_t i = 0; i < n; ++i) group[i] = (slices == nullptr ? 0 : (*slices)[i]) * hub_arity_ + column[i];
    start_.assign(groups + 1, 0);
    for (const uint32_t g : group) ++start_[g + 1];
    for (size_t g = 0; g < groups; ++g) start_[g + 1] += start_[g];
    order_.resize(n);
    std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
    for (size_t i = 0; i < n; ++i) order_[next[group[i]]++] = static_cast<uint32_t>(i);
}

void HubTally::tally_block(int block) {
    states_ = std::max(1u, data_.block_arity(block) - 1);
    const size_t groups = start_.size() - 1;
    counts_.assign(groups * states_ * kLanes, 0);
    const uint8_t* bytes = data_.block(block);
    for (size_t g = 0; g < groups; ++g)
        if (start_[g] < start_[g + 1])
            data_.simd.tally(bytes, order_.data() + start_[g], start_[g + 1] - start_[g], states_,
                             counts_.data() + g * states_ * kLanes);
}

void HubTally::table_of(int v, uint32_t* cells) const {
    const uint32_t arity = data_.columns[v].arity;
    const int lane = data_.lane_of(v);
    for (size_t g = 0; g + 1 < start_.size(); ++g, cells += arity) {
        uint32_t rest = start_[g + 1] - start_[g];
        const uint32_t* counts = counts_.data() + g * states_ * kLanes + lane;
        for (uint32_t s = 0; s + 1 < arity; ++s) rest -= cells[s] = counts[s * kLanes];
        cells[arity - 1] = rest;
    }
}

namespace {

void any_table(const Dataset& data, const Slices* slices, int x, int y, Scratch& scratch, int64_t* out) {
    const size_t cells = cell_number(slices, data.columns[x], data.columns[y]);
    if (data.units != nullptr) {
        weigh_cells(data, slices, x, y, scratch);
        std::copy_n(scratch.weighted.begin(), cells, out);
        std::fill_n(scratch.weighted.begin(), cells, 0);
    } else {
        count_cells(data, slices, x, y, scratch);
        widen_table(scratch.table, cells, out);
    }
}

}  // namespace

namespace {

// Tables of a strip of variables against one other, from bit planes: all but the last row and column are
// counted, the rest follows from margins.
class PlanePairs {
public:
    PlanePairs(Dataset& data, const int* strip, size_t n) : data_(data) {
        for (size_t a = 0; a < n; ++a) {
            const int x = strip[a];
            const bool planar = data.planar(x);
            first_.push_back(planes_.size());
            arity_.push_back(planar ? data.columns[x].arity : 0);
            margins_.push_back(planar ? data.margins(x) : nullptr);
            for (uint32_t i = 0; planar && i + 1 < data.columns[x].arity; ++i) planes_.push_back(data.planes(x) + i * data.words);
        }
        first_.push_back(planes_.size());
    }

    // Counts the first n variables of the strip against y; `next` will be y soon.
    void against(int y, size_t n, int next) {
        ry_ = data_.planar(y) ? data_.columns[y].arity : 0;
        if (ry_ == 0) return;
        margin_y_ = data_.margins(y);
        width_ = first_[n];
        counts_.resize(width_ * ry_ + 1);
        const Word* planes = data_.planes(y);
        const Word* soon = next >= 0 && data_.planar(next) ? data_.planes(next) : nullptr;
        for (uint32_t j = 0; j + 1 < ry_; ++j)
            data_.simd.count_and_each(planes + j * data_.words, planes_.data(), width_, data_.words, j == 0 ? soon : nullptr,
                                      counts_.data() + j * width_);
    }
    // Whether the pair was counted: both have planes.
    bool has(size_t a) const { return ry_ > 0 && arity_[a] > 0; }
    void table(size_t a, int64_t* out) const {
        const uint32_t rx = arity_[a];
        if (rx == 2 && ry_ == 2) {
            const int64_t both = counts_[first_[a]];
            out[0] = both;
            out[1] = margins_[a][0] - both;
            out[2] = margin_y_[0] - both;
            out[3] = margins_[a][1] - out[2];
            return;
        }
        int64_t* last = out + (rx - 1) * ry_;
        for (uint32_t j = 0; j < ry_; ++j) last[j] = margin_y_[j];
        for (uint32_t i = 0; i + 1 < rx; ++i) {
            int64_t rest = margins_[a][i];
            for (uint32_t j = 0; j + 1 < ry_; ++j) {
                const int64_t c = counts_[j * width_ + first_[a] + i];
                out[i * ry_ + j] = c;
                rest -= c;
                last[j] -= c;
            }
            out[i * ry_ + ry_ - 1] = rest;
            last[ry_ - 1] -= rest;
        }
    }

private:
    Dataset& data_;
    std::vector<const Word*> planes_;
    std::vector<size_t> first_;                  // where the planes of each variable begin
    std::vector<uint32_t> arity_;                // 0: it has no planes
    std::vector<const uint32_t*> margins_;
    uint32_t ry_ = 0;
    const uint32_t* margin_y_ = nullptr;
    size_t width_ = 0;
    std::vector<uint32_t> counts_;
};

}  // namespace

void count_pairs(Dataset& data, const std::vector<int>& variables, unsigned threads, int64_t* out) {
    const size_t k = variables.size();
    size_t after = 0;  // states of all variables behind x: so many rows of cells has x
    for (const int v : variables) after += data.columns[v].arity;
    std::vector<size_t> offset;  // of the first table of each x
    for (size_t a = 0, cells = 0; a < k; ++a) {
        const size_t rx = data.columns[variables[a]].arity;
        offset.push_back(cells);
        cells += rx * (after -= rx);
    }
    const bool use_planes = planes_pay(data, 9);  // 9 passes: a pair of 4 states each
    constexpr size_t strip = 8;  // so many x share each y that comes by from the second cache
    std::vector<Scratch> scratch(std::max(1u, threads));
    in_parallel((k + strip - 1) / strip, threads, [&](size_t item, unsigned thread) {
        const size_t first = item * strip, last = std::min(k, first + strip);
        size_t at[strip];
        std::copy(offset.begin() + static_cast<long>(first), offset.begin() + static_cast<long>(last), at);
        PlanePairs planes(data, variables.data() + first, last - first);
        for (size_t b = first + 1; b < k; ++b) {
            const int y = variables[b];
            const size_t n = std::min(b, last) - first;
            if (use_planes) planes.against(y, n, b + 1 < k ? variables[b + 1] : -1);
            for (size_t a = 0; a < n; ++a) {
                const int x = variables[first + a];
                int64_t* table = out + at[a];
                at[a] += size_t{data.columns[x].arity} * data.columns[y].arity;
                if (use_planes && planes.has(a))
                    planes.table(a, table);
                else
                    any_table(data, nullptr, x, y, scratch[thread], table);
            }
        }
    });
}

void count_one_against(Dataset& data, const Slices* slices, int x, const std::vector<int>& others, unsigned threads,
                       int64_t* out) {
    const size_t n_slices = slices == nullptr ? 1 : slices->n;
    const uint32_t rx = data.columns[x].arity;
    struct Job {
        int y, block;
        size_t offset;
    };
    std::vector<Job> jobs;
    size_t cells = 0;
    for (const int y : others) {
        jobs.push_back({y, data.units == nullptr ? data.block_of(y) : -1, cells});
        cells += n_slices * rx * data.columns[y].arity;
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.block < b.block; });
    std::vector<std::pair<size_t, size_t>> runs;  // of jobs in one block, or single jobs
    for (size_t i = 0; i < jobs.size();) {
        size_t j = i + 1;
        while (j < jobs.size() && jobs[i].block >= 0 && jobs[j].block == jobs[i].block) ++j;
        if (jobs[i].block < 0 || !HubTally::pays(data, static_cast<double>(n_slices), x, j - i))
            for (size_t l = i; l < j; ++l) runs.emplace_back(l, l + 1);
        else
            runs.emplace_back(i, j);
        i = j;
    }
    const unsigned n_threads = std::max(1u, threads);
    std::vector<Scratch> scratch(n_threads);
    std::vector<std::unique_ptr<HubTally>> tallies(n_threads);
    in_parallel(runs.size(), threads, [&](size_t item, unsigned thread) {
        const auto [i, j] = runs[item];
        if (j - i == 1) {
            any_table(data, slices, x, jobs[i].y, scratch[thread], out + jobs[i].offset);
            return;
        }
        if (!tallies[thread]) tallies[thread] = std::make_unique<HubTally>(data, slices, x);
        tallies[thread]->tally_block(jobs[i].block);
        for (size_t l = i; l < j; ++l) {
            const size_t size = n_slices * rx * data.columns[jobs[l].y].arity;
            if (scratch[thread].table.size() < size) scratch[thread].table.resize(size, 0);
            tallies[thread]->table_of(jobs[l].y, scratch[thread].table.data());
            widen_table(scratch[thread].table, size, out + jobs[l].offset);
        }
    });
}

}  // namespace graphoid
