#include "planes.hpp"

#include <algorithm>

namespace graphoid {

using std::size_t;
using std::uint32_t;

void SliceMasks::condition_on(const std::vector<int>& given) {
    for (const int v : made_) margin_at_[v] = -1;
    made_.clear();
    margins_.clear();
    bits_.clear();
    ones_.clear();
    if (given.empty()) {
        ones_.push_back(static_cast<uint32_t>(data_.n_rows));
        return;
    }
    for (uint32_t s = 0; s < data_.columns[given[0]].arity; ++s) {
        if (data_.margin(given[0], s) == 0) continue;
        bits_.push_back(data_.plane(given[0], s));
        ones_.push_back(data_.margin(given[0], s));
    }
    const size_t words = data_.words;
    std::vector<uint32_t> ones;
    for (size_t g = 1; g < given.size(); ++g) {
        const uint32_t arity = data_.columns[given[g]].arity;
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
    margins_.resize(at + n_slices() * arity);
    uint32_t* out = margins_.data() + at;
    for (size_t m = 0; m < n_slices(); ++m, out += arity) {
        uint32_t rest = ones_[m];
        for (uint32_t s = 0; s + 1 < arity; ++s) {
            out[s] = bits_.empty() ? data_.margin(v, s)
                                   : static_cast<uint32_t>(data_.simd.count_and(bits_[m], data_.plane(v, s), data_.words));
            rest -= out[s];
        }
        out[arity - 1] = rest;
    }
    margin_at_[v] = static_cast<long>(at);
    made_.push_back(v);
    return at;
}

void SliceMasks::table(int x, int y, uint32_t* cells) {
    const uint32_t rx = data_.columns[x].arity, ry = data_.columns[y].arity;
    const size_t at_x = margins(x), at_y = margins(y);
    const size_t words = data_.words;
    for (size_t m = 0; m < n_slices(); ++m, cells += rx * ry) {
        const uint32_t* mx = margins_.data() + at_x + m * rx;
        uint32_t* last = cells + (rx - 1) * ry;  // the last row is what the others leave of y's margins
        std::copy_n(margins_.data() + at_y + m * ry, ry, last);
        for (uint32_t i = 0; i + 1 < rx; ++i) {
            uint32_t* row = cells + i * ry;
            const Word* plane = data_.plane(x, i);
            uint32_t rest = mx[i];
            for (uint32_t j = 0; j + 1 < ry; ++j) {
                const Word* other = data_.plane(y, j);
                row[j] = static_cast<uint32_t>(bits_.empty() ? data_.simd.count_and(plane, other, words)
                                                             : data_.simd.count_and3(bits_[m], plane, other, words));
                rest -= row[j];
                last[j] -= row[j];
            }
            row[ry - 1] = rest;
            last[ry - 1] -= rest;
        }
    }
}

}  // namespace graphoid
