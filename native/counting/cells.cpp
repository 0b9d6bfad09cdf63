#include "counting/cells.hpp"

#include <algorithm>

namespace graphoid {

namespace {

constexpr double kFewSlices = 64;  // are stepped over faster than those that occur are found

constexpr size_t kManyIds = 8192;   // more than these are ranked before the next variable is mixed in

// Replaces ids below `range` by their ranks among those that occur, and says for each a row that has it.
void rank(std::vector<uint16_t>& ids, size_t range, std::vector<uint32_t>& row_in) {
    constexpr uint32_t none = 0xffffffffu;
    std::vector<uint32_t> row_with(range, none);
    for (size_t i = 0; i < ids.size(); ++i) row_with[ids[i]] = static_cast<uint32_t>(i);
    std::vector<uint16_t> rank(range);
    row_in.clear();
    for (size_t id = 0; id < range; ++id) {
        rank[id] = static_cast<uint16_t>(row_in.size());
        if (row_with[id] != none) row_in.push_back(row_with[id]);
    }
    for (uint16_t& id : ids) id = rank[id];
}

// Mixes a column into ids below `range`, which are ranked before where they become too many. False, with nothing done, if
// two bytes do not hold them.
bool mix(const Simd& simd, const Column& column, std::vector<uint16_t>& ids, size_t& range, std::vector<uint32_t>& row_in) {
    if (range * column.arity > kManyIds) rank(ids, range, row_in), range = row_in.size();
    if (range * column.arity > 65536) return false;
    simd.mix16(ids.data(), column.narrow, static_cast<uint16_t>(column.arity), ids.size());
    range *= column.arity;
    return true;
}

}  // namespace

std::vector<int> Crossing::variables() const {
    std::vector<int> all = given;
    for (const int v : {x, y}) all.insert(std::upper_bound(all.begin(), all.end(), v), v);
    return all;
}

Cells::Cells(const Dataset& data, const std::vector<int>& of, const Cells* base)
    : variables(of), simd_(data.simd), found_(find(data, of, base)), states_(of.size() * n()), columns_(of.size()) {
    for (size_t k = 0; k < of.size(); ++k) {
        const Column& from = data.columns[of[k]];
        std::uint8_t* to = states_.data() + k * n();
        for (size_t c = 0; c < n(); ++c) to[c] = from.narrow[found_.row_in[c]];
        columns_[k].narrow = to;
        columns_[k].arity = from.arity;
    }
}

Cells::Found Cells::find(const Dataset& data, const std::vector<int>& of, const Cells* base) {
    Found out;
    size_t range = 1;
    bool narrow = true;
    if (base != nullptr && base->of_rows32().empty())
        out.ids16 = base->of_rows16(), range = base->n();
    else
        out.ids16.assign(data.n_rows, 0), base = nullptr;
    for (const int v : of) {
        if (base != nullptr && std::binary_search(base->variables.begin(), base->variables.end(), v)) continue;
        narrow = narrow && mix(data.simd, data.columns[v], out.ids16, range, out.row_in);
    }
    if (narrow) {
        rank(out.ids16, range, out.row_in);
        return out;
    }
    Slices all;
    make_slices(all, data, of, true);
    out.row_in.resize(all.n);
    for (size_t i = 0; i < data.n_rows; ++i) out.row_in[all[i]] = static_cast<uint32_t>(i);
    out.ids16 = std::move(all.ids16);
    out.ids32 = std::move(all.ids32);
    return out;
}

const Crossed& Cells::cross(const Crossing& q) {
    const auto [found, fresh] = crossed_.try_emplace(q);
    Crossed& out = found->second;
    if (!fresh) return out;
    const auto place = [this](int v) { return static_cast<int>(std::lower_bound(variables.begin(), variables.end(), v) - variables.begin()); };
    double configurations = 1;
    for (const int z : q.given) configurations *= columns_[place(z)].arity;
    const bool ranked = configurations > kFewSlices;
    Slices slices;
    slices.ids16.assign(n(), 0);
    std::vector<uint32_t> row_in;
    bool narrow = true;
    for (const int z : q.given) narrow = narrow && mix(simd_, columns_[place(z)], slices.ids16, slices.n, row_in);
    if (!narrow) {
        std::vector<int> given;
        for (const int z : q.given) given.push_back(place(z));
        make_slices(slices, Dataset(n(), columns_, nullptr, 1.0, &simd_), given, ranked);
    } else if (ranked) {
        rank(slices.ids16, slices.n, row_in);
        slices.n = row_in.size();
    }
    const Column &x = columns_[place(q.x)], &y = columns_[place(q.y)];
    out.slices = slices.n;
    out.size = slices.n * x.arity * y.arity;
    out.cell.resize(n());
    for (size_t i = 0; i < n(); ++i) out.cell[i] = (slices[i] * x.arity + x.narrow[i]) * y.arity + y.narrow[i];
    return out;
}

}  // namespace graphoid
