#include "counting/planes.hpp"

#include <algorithm>

namespace graphoid {

void SliceMasks::condition_on(const int* given, int n_given) {
    for (const int v : counted_) margin_at_[v] = -1;
    counted_.clear();
    margins_.clear();
    bits_.clear();
    ones_.clear();
    if (n_given == 0) {
        ones_.push_back(static_cast<uint32_t>(data_.n_rows));
        return;
    }
    for (uint32_t s = 0; s < data_.columns[given[0]].states(); ++s) {
        if (data_.margin(given[0], s) == 0) continue;
        bits_.push_back(data_.plane(given[0], s));
        ones_.push_back(data_.margin(given[0], s));
    }
    const size_t words = data_.words;
    std::vector<uint32_t> ones;
    for (int g = 1; g < n_given; ++g) {
        const uint32_t arity = data_.columns[given[g]].states();
        std::vector<Word>& to = storage_[g % 2];  // the masks split now lie in the other one
        if (to.size() < bits_.size() * arity * words) to.resize(bits_.size() * arity * words);
        ones.clear();
        for (const Word* mask : bits_)
            for (uint32_t s = 0; s < arity; ++s) {
                Word* out = to.data() + ones.size() * words;
                const auto c = static_cast<uint32_t>(data_.simd.and_count(mask, data_.plane(given[g], s), out, words));
                if (c > 0) ones.push_back(c);
            }
        ones_.swap(ones);
        bits_.resize(ones_.size());
        for (size_t m = 0; m < bits_.size(); ++m) bits_[m] = to.data() + m * words;
    }
}

size_t SliceMasks::margins(int v) {
    if (margin_at_[v] >= 0) return static_cast<size_t>(margin_at_[v]);
    const size_t at = margins_.size();
    const uint32_t arity = data_.columns[v].arity;
    margins_.resize(at + ones_.size() * arity);
    uint32_t* out = margins_.data() + at;
    for (size_t m = 0; m < ones_.size(); ++m, out += arity) {
        uint32_t rest = ones_[m];
        for (uint32_t s = 0; s + 1 < arity; ++s) {
            out[s] = bits_.empty() ? data_.margin(v, s)
                                   : static_cast<uint32_t>(data_.simd.count_and(bits_[m], data_.plane(v, s), data_.words));
            rest -= out[s];
        }
        out[arity - 1] = rest;
    }
    margin_at_[v] = static_cast<std::ptrdiff_t>(at);
    counted_.push_back(v);
    return at;
}

namespace {

// A slice's table from its margins and the counts of all but the last row and column.
template <class Count>
inline void fill_table(const uint32_t* margin_x, const uint32_t* margin_y, uint32_t rx, uint32_t ry, uint32_t* cells, Count count) {
    uint32_t* last = cells + (rx - 1) * ry;  // the last row is what the others leave of y's margins
    std::copy_n(margin_y, ry, last);
    for (uint32_t i = 0; i + 1 < rx; ++i) {
        uint32_t* row = cells + i * ry;
        uint32_t rest = margin_x[i];
        for (uint32_t j = 0; j + 1 < ry; ++j) {
            row[j] = count(i, j);
            rest -= row[j];
            last[j] -= row[j];
        }
        row[ry - 1] = rest;
        last[ry - 1] -= rest;
    }
}

}  // namespace

size_t SliceMasks::table(int x, int y, uint32_t* cells) {
    const uint32_t rx = data_.columns[x].arity, ry = data_.columns[y].arity;
    const size_t at_x = margins(x), at_y = margins(y), words = data_.words;
    for (size_t m = 0; m < ones_.size(); ++m, cells += rx * ry)
        fill_table(margins_.data() + at_x + m * rx, margins_.data() + at_y + m * ry, rx, ry, cells, [&](uint32_t i, uint32_t j) {
            const Word *a = data_.plane(x, i), *b = data_.plane(y, j);
            return static_cast<uint32_t>(bits_.empty() ? data_.simd.count_and(a, b, words) : data_.simd.count_and3(bits_[m], a, b, words));
        });
    return ones_.size();
}

size_t SliceMasks::table_given(const int* given, int n_given, int x, int y, bool all, uint32_t* cells) {
    const size_t masks = static_cast<size_t>(std::max(n_given, 1)) * data_.words;
    if (path_.size() < masks) path_.resize(masks);
    const uint32_t* start = cells;
    descend({given, n_given, x, y, all}, 0, nullptr, static_cast<uint32_t>(data_.n_rows), cells);
    return static_cast<size_t>(cells - start) / (size_t{data_.columns[x].arity} * data_.columns[y].arity);
}

void SliceMasks::descend(const Path& path, int depth, const Word* mask, uint32_t ones, uint32_t*& cells) {
    const size_t words = data_.words;
    const int x = path.x, y = path.y;
    if (depth < path.n_given) {
        const int v = path.given[depth];
        for (uint32_t s = 0; s < data_.columns[v].states(); ++s) {
            const Word* next = data_.plane(v, s);
            uint32_t c = data_.margin(v, s);
            if (mask != nullptr) {
                Word* own = path_.data() + static_cast<size_t>(depth) * words;
                c = static_cast<uint32_t>(data_.simd.and_count(mask, next, own, words));
                next = own;
            }
            if (c > 0) {
                descend(path, depth + 1, next, c, cells);
            } else if (path.all) {
                size_t below = size_t{data_.columns[x].arity} * data_.columns[y].arity;
                for (int d = depth + 1; d < path.n_given; ++d) below *= data_.columns[path.given[d]].states();
                std::fill_n(cells, below, 0);
                cells += below;
            }
        }
        return;
    }
    const uint32_t rx = data_.columns[x].arity, ry = data_.columns[y].arity;
    uint32_t margin_x[Dataset::kMaxPlanes], margin_y[Dataset::kMaxPlanes];
    const auto margin = [&](int v, uint32_t arity, uint32_t* out) {
        uint32_t rest = ones;
        for (uint32_t s = 0; s + 1 < arity; ++s) {
            out[s] = mask == nullptr ? data_.margin(v, s) : static_cast<uint32_t>(data_.simd.count_and(mask, data_.plane(v, s), words));
            rest -= out[s];
        }
        out[arity - 1] = rest;
    };
    margin(x, rx, margin_x);
    margin(y, ry, margin_y);
    fill_table(margin_x, margin_y, rx, ry, cells, [&](uint32_t i, uint32_t j) {
        const Word *a = data_.plane(x, i), *b = data_.plane(y, j);
        return static_cast<uint32_t>(mask == nullptr ? data_.simd.count_and(a, b, words) : data_.simd.count_and3(mask, a, b, words));
    });
    cells += rx * ry;
}

}  // namespace graphoid
