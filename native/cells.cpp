#include "cells.hpp"

#include <algorithm>

namespace graphoid {

using std::size_t;
using std::uint16_t;
using std::uint32_t;

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

}  // namespace

std::vector<int> Crossing::variables() const {
    std::vector<int> all = given;
    for (const int v : {x, y}) all.insert(std::upper_bound(all.begin(), all.end(), v), v);
    return all;
}

Cells::Cells(const Dataset& data, const std::vector<int>& of, const Cells* base) : Cells(data, of, find(data, of, base)) {}

Cells::Cells(const Dataset& data, const std::vector<int>& of, Found found)
    : variables(of), found_(std::move(found)), distinct_(found_.row_in.size(), columns(data), nullptr, 1.0, &data.simd) {}

Cells::Found Cells::find(const Dataset& data, const std::vector<int>& of, const Cells* base) {
    Found out;
    if (base != nullptr) out.ids16 = base->of_rows16();
    else out.ids16.assign(data.n_rows, 0);
    size_t range = base != nullptr ? base->n() : 1;
    bool narrow = base == nullptr || base->of_rows32().empty();
    for (const int v : of) {
        if (base != nullptr && std::binary_search(base->variables.begin(), base->variables.end(), v)) continue;
        const size_t arity = data.columns[v].arity;
        if (narrow && range * arity > kManyIds) rank(out.ids16, range, out.row_in), range = out.row_in.size();
        narrow = narrow && range * arity <= 65536;
        if (!narrow) break;
        data.mix(out.ids16.data(), v, 0, data.n_rows);
        range *= arity;
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

// The states of every cell, read off a row in it.
std::vector<Column> Cells::columns(const Dataset& data) {
    const std::vector<uint32_t>& row_in = found_.row_in;
    const size_t cells = row_in.size();
    states_.resize(variables.size() * cells);
    std::vector<Column> out(variables.size());
    for (size_t k = 0; k < variables.size(); ++k) {
        const Column& from = data.columns[variables[k]];
        std::uint8_t* to = states_.data() + k * cells;
        for (size_t c = 0; c < cells; ++c) to[c] = from.narrow[row_in[c]];
        out[k].narrow = to;
        out[k].arity = from.arity;
    }
    return out;
}

const Crossed& Cells::cross(const Crossing& q) {
    const auto [found, fresh] = crossed_.try_emplace(q);
    Crossed& out = found->second;
    if (!fresh) return out;
    const auto place = [this](int v) { return static_cast<int>(std::lower_bound(variables.begin(), variables.end(), v) - variables.begin()); };
    std::vector<int> given;
    double configurations = 1;
    for (const int z : q.given) given.push_back(place(z)), configurations *= distinct_.columns[given.back()].arity;
    Slices slices;
    make_slices(slices, distinct_, given, configurations > kFewSlices);
    const Column &x = distinct_.columns[place(q.x)], &y = distinct_.columns[place(q.y)];
    out.slices = slices.n;
    out.size = slices.n * x.arity * y.arity;
    out.cell.resize(n());
    for (size_t i = 0; i < n(); ++i) out.cell[i] = (slices[i] * x.arity + x.narrow[i]) * y.arity + y.narrow[i];
    return out;
}

}  // namespace graphoid
