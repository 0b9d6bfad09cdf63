#include "counting/slices.hpp"

#include <algorithm>

namespace graphoid {
namespace {

constexpr uint64_t kNarrowIds = 1u << 16;
constexpr uint64_t kWideIds = uint64_t{1} << 32;

// More ids than this, and stepping over those that do not occur costs more than removing them.
size_t sparse_from(size_t n_rows) { return std::max<size_t>(4096, n_rows / 2); }

// Replaces ids by their ranks among those that occur; returns how many occur.
size_t rank_by_presence(std::vector<uint32_t>& ids, size_t range) {
    std::vector<uint32_t> rank(range, 0);
    for (const uint32_t id : ids) rank[id] = 1;
    uint32_t next = 0;
    for (uint32_t& r : rank) {
        const uint32_t here = r;
        r = next;
        next += here;
    }
    for (uint32_t& id : ids) id = rank[id];
    return next;
}

// The same when the range is too large for a table: rows are sorted by id, one digit at a time.
size_t rank_by_sorting(std::vector<uint32_t>& ids, size_t range) {
    const size_t n = ids.size();
    unsigned bits = 1;
    while (bits < 32 && (uint64_t{1} << bits) < range) ++bits;
    const unsigned passes = (bits + 10) / 11;  // 2,048 buckets stay in the first cache
    const unsigned digit = (bits + passes - 1) / passes;
    const uint64_t mask = (uint64_t{1} << digit) - 1;
    std::vector<uint64_t> keys(n), other(n);
    for (size_t i = 0; i < n; ++i) keys[i] = (static_cast<uint64_t>(ids[i]) << 32) | i;
    std::vector<uint32_t> start(size_t{1} << digit);
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned shift = 32 + pass * digit;
        std::fill(start.begin(), start.end(), 0);
        for (const uint64_t key : keys) ++start[(key >> shift) & mask];
        uint32_t sum = 0;
        for (uint32_t& s : start) {
            const uint32_t here = s;
            s = sum;
            sum += here;
        }
        for (const uint64_t key : keys) other[start[(key >> shift) & mask]++] = key;
        keys.swap(other);
    }
    uint32_t rank = 0;
    for (size_t i = 0; i < n; ++i) {
        if (i > 0 && (keys[i] >> 32) != (keys[i - 1] >> 32)) ++rank;
        ids[keys[i] & 0xffffffffu] = rank;
    }
    return n == 0 ? 0 : rank + size_t{1};
}

size_t rank_ids(std::vector<uint32_t>& ids, size_t range) {
    const bool table = range <= 65536 || range <= 8 * ids.size();
    return table ? rank_by_presence(ids, range) : rank_by_sorting(ids, range);
}

void widen(Slices& s) {
    if (s.ids16.empty()) return;
    s.ids32.assign(s.ids16.begin(), s.ids16.end());
    s.ids16.clear();
}

void narrow_if_possible(Slices& s) {
    if (s.ids32.empty() || s.n > kNarrowIds) return;
    s.ids16.resize(s.ids32.size());
    for (size_t i = 0; i < s.ids32.size(); ++i) s.ids16[i] = static_cast<uint16_t>(s.ids32[i]);
    s.ids32.clear();
}

// Gives one id, the last, to all rows that have no configuration: those from `from` on, and those where `column` is missing.
// The last id is free for them, as it is a configuration of last codes, of which one is a hole.
template <class Id>
void mark_holes(std::vector<Id>& ids, size_t n, size_t from, const Column* column) {
    const Id last = static_cast<Id>(n - 1);
    if (from < n - 1)
        for (Id& id : ids) id = id >= from ? last : id;
    if (column == nullptr || !column->holes) return;
    if (column->narrow != nullptr) {
        const auto hole = static_cast<uint8_t>(column->states());
        for (size_t i = 0; i < ids.size(); ++i) ids[i] = column->narrow[i] == hole ? last : ids[i];
    } else {
        const auto hole = static_cast<uint16_t>(column->states());
        for (size_t i = 0; i < ids.size(); ++i) ids[i] = column->wide[i] == hole ? last : ids[i];
    }
}

void mark_holes(Slices& s, size_t from, const Column* column) {
    if (!s.ids32.empty())
        mark_holes(s.ids32, s.n, from, column);
    else
        mark_holes(s.ids16, s.n, from, column);
}

void compact(Slices& s) {
    widen(s);
    const auto last = static_cast<uint32_t>(s.n - 1);
    s.discard = s.discard && std::find(s.ids32.begin(), s.ids32.end(), last) != s.ids32.end();
    s.n = rank_ids(s.ids32, s.n);
    s.compact = true;
    narrow_if_possible(s);
}

void mix_in(Slices& s, const Dataset& data, int variable) {
    const Column& column = data.columns[variable];
    if (static_cast<uint64_t>(s.n) * column.arity > kWideIds) compact(s);
    const uint64_t range = static_cast<uint64_t>(s.n) * column.arity;  // <= n_rows * 65,536 after compacting
    const bool discarded = s.discard;
    const auto mark = [&](size_t from) {
        s.discard = discarded || column.holes;
        if (s.discard) mark_holes(s, discarded ? from : s.n - 1, &column);
    };
    if (range > kWideIds) {
        // Only with more than 65,536 slices and very many states: sort by the pair, high part first.
        const size_t n = data.n_rows;
        widen(s);
        std::vector<uint64_t> keys(n);
        for (size_t i = 0; i < n; ++i) {
            const bool hole = column.missing(i) || (discarded && s.ids32[i] + size_t{1} == s.n);
            keys[i] = hole ? range : static_cast<uint64_t>(s.ids32[i]) * column.arity + column[i];
        }
        std::vector<uint64_t> distinct = keys;
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (size_t i = 0; i < n; ++i)
            s.ids32[i] = static_cast<uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), keys[i]) - distinct.begin());
        s.n = distinct.size();
        s.compact = true;
        s.discard = !distinct.empty() && distinct.back() == range;
        return;
    }
    if (range > kNarrowIds) {
        widen(s);
        data.mix(s.ids32.data(), variable, 0, data.n_rows);
    } else if (!s.ids16.empty() || data.n_rows == 0) {
        data.mix(s.ids16.data(), variable, 0, data.n_rows);
    } else {  // wide ids whose range shrank below the limit only ever come narrowed from compact()
        data.mix(s.ids32.data(), variable, 0, data.n_rows);
    }
    const size_t before = s.n;
    s.n = range;
    s.compact = false;
    mark((before - 1) * column.arity);
}

// Decided by the set alone, not by how its ids were come by: what is computed from them stays the same to the bit.
void finish(Slices& s, const Dataset& data, bool ranked) {
    double configurations = 1;
    for (const int v : s.given) configurations *= data.columns[v].arity;
    if (!s.compact && (ranked || configurations > static_cast<double>(sparse_from(data.n_rows)))) compact(s);
}

}  // namespace

void make_slices(Slices& out, const Dataset& data, const std::vector<int>& given, bool ranked) {
    out.given = given;
    out.n = 1;
    out.compact = out.discard = false;
    out.ids16.clear();
    out.ids32.clear();
    // As many variables as fit into 16 bits are mixed chunk by chunk, while their ids are in the first cache.
    size_t lead = 0;
    while (lead < given.size() && out.n * data.columns[given[lead]].arity <= kNarrowIds) out.n *= data.columns[given[lead++]].arity;
    out.ids16.resize(data.n_rows);
    constexpr size_t chunk = 4096;
    for (size_t start = 0; start < data.n_rows; start += chunk) {
        const size_t n = std::min(chunk, data.n_rows - start);
        uint16_t* ids = out.ids16.data() + start;
        std::fill_n(ids, n, 0);
        for (size_t k = 0; k < lead; ++k) data.mix(ids, given[k], start, n);
    }
    for (size_t k = 0; k < lead; ++k) {
        out.discard |= data.columns[given[k]].holes;
        if (data.columns[given[k]].holes) mark_holes(out, out.n - 1, &data.columns[given[k]]);
    }
    for (size_t k = lead; k < given.size(); ++k) mix_in(out, data, given[k]);
    finish(out, data, ranked);
}

void refine_slices(Slices& out, const Dataset& data, const Slices& base, int variable, bool ranked) {
    out.given = base.given;
    out.given.push_back(variable);
    out.n = base.n;
    out.compact = base.compact;
    out.discard = base.discard;
    out.ids16 = base.ids16;
    out.ids32 = base.ids32;
    mix_in(out, data, variable);
    finish(out, data, ranked);
}

namespace {

// The one variable of sorted `large` that sorted `small` lacks, or -1 if that is not how they differ.
int one_more(const std::vector<int>& small, const std::vector<int>& large) {
    if (small.size() + 1 != large.size()) return -1;
    int extra = -1;
    for (size_t i = 0, j = 0; j < large.size(); ++j) {
        if (i < small.size() && small[i] == large[j]) {
            ++i;
        } else if (extra < 0) {
            extra = large[j];
        } else {
            return -1;
        }
    }
    return extra;
}

}  // namespace

SliceCache::Entry SliceCache::recycled() {
    size_t bytes = 0, sets = 0;
    auto it = held_.begin();
    for (; it != held_.end(); ++it) {
        bytes += (*it)->bytes();
        if (bytes > max_bytes_ || ++sets >= max_sets_) break;
    }
    // From here on they are too old; one of them lends its memory.
    Entry entry;
    while (it != held_.end()) {
        if (it->use_count() == 1) entry = *it;
        it = held_.erase(it);
    }
    return entry ? entry : std::make_shared<Slices>();
}

std::shared_ptr<const Slices> SliceCache::get(const Dataset& data, const std::vector<int>& given) {
    Entry base, fresh;
    int extra = -1;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = held_.begin(); it != held_.end(); ++it) {
            if ((*it)->given == given) {
                held_.splice(held_.begin(), held_, it);
                return held_.front();
            }
            if (base == nullptr && given.size() > 2) {
                extra = one_more((*it)->given, given);
                if (extra >= 0) base = *it;
            }
        }
        fresh = recycled();
    }
    if (base != nullptr) {
        refine_slices(*fresh, data, *base, extra, false);
        std::sort(fresh->given.begin(), fresh->given.end());
    } else {
        make_slices(*fresh, data, given, false);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.push_front(fresh);
    return fresh;
}

}  // namespace graphoid
