#include "models/submodels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace graphoid {
namespace {

Face members_of(const Face& face, unsigned mask) {
    Face part;
    for (std::size_t j = 0; j < face.size(); ++j)
        if ((mask >> j & 1u) != 0) part.push_back(face[j]);
    return part;
}

}  // namespace

Submodels::Submodels(Labeled rows) : rows_(std::move(rows)) {
    for (std::size_t i = 0; i < rows_.n_rows; ++i) n_ += rows_.weight(i);
}

std::vector<std::uint32_t> Submodels::sizes(const Face& face) const {
    std::vector<std::uint32_t> sizes;
    for (std::int32_t v : face) sizes.push_back(rows_.sizes[v]);
    return sizes;
}

const Submodels::Margin& Submodels::margin(const Face& face) {
    const auto found = margins_.find(face);
    if (found != margins_.end()) return found->second;
    Margin one;
    one.counts = rows_.counts(face.data(), face.size());
    const double prior = rows_.theta / static_cast<double>(one.counts.size()), total = n_ + rows_.theta;
    for (double n : one.counts) one.logs.push_back(std::log((n + prior) / total));
    return margins_.emplace(face, std::move(one)).first->second;
}

template <class Table>
std::vector<double> Submodels::alternating(const Face& face, Table table) {
    const std::size_t c = rows_.n_classes, n_cells = rows_.n_cells(face.data(), face.size());
    const std::vector<std::uint32_t> of = sizes(face);
    std::vector<double> out(n_cells * c);
    std::vector<std::uint32_t> into;
    for (unsigned mask : subsets(face.size())) {
        const Face part = members_of(face, mask);
        const double sign = (face.size() - part.size()) % 2 != 0 ? -1.0 : 1.0;
        const std::vector<double>& values = table(margin(part));
        project(of, mask, into);
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t y = 0; y < c; ++y) out[cell * c + y] += sign * values[into[cell] * c + y];
    }
    return out;
}

std::vector<double> Submodels::term(const Face& face, const std::vector<unsigned>& parts) {
    const std::size_t c = rows_.n_classes;
    std::vector<std::uint32_t> padded = sizes(face);
    std::size_t n_cells = 1;
    for (std::uint32_t& size : padded) n_cells *= ++size;
    std::vector<double> out(n_cells * c), wide;
    std::vector<std::uint32_t> into;
    for (unsigned mask : parts) {
        const Face part = members_of(face, mask);
        const std::vector<double> potential = alternating(part, [](const Margin& m) -> const auto& { return m.logs; });
        // with one more value an axis, there 0: the cells of each line move apart, and so do the lines
        const std::vector<std::uint32_t> inner = sizes(part);
        std::size_t n_wide = 1;
        for (std::uint32_t size : inner) n_wide *= size + 1;
        wide.assign(n_wide * c, 0.0);
        std::vector<std::uint32_t> value(inner.size(), 0u);
        for (std::size_t cell = 0, to = 0; cell * c < potential.size(); ++cell, ++to) {
            for (std::size_t y = 0; y < c; ++y) wide[to * c + y] = potential[cell * c + y];
            for (std::size_t j = inner.size(), skip = 1; j-- > 0; skip *= inner[j] + 1) {
                if (++value[j] < inner[j]) break;
                value[j] = 0;
                to += skip;
            }
        }
        project(padded, mask, into);
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t y = 0; y < c; ++y) out[cell * c + y] += wide[into[cell] * c + y];
    }
    return out;
}

std::vector<double> Submodels::own_potential(const Face& face) {
    std::vector<double> shares;
    return alternating(face, [&](const Margin& m) -> const auto& {
        const double prior = rows_.theta / static_cast<double>(m.counts.size());
        shares.clear();
        for (double n : m.counts) shares.push_back(std::log((n + prior) / (std::max(n - 1.0, 0.0) + prior)));
        return shares;
    });
}

double Submodels::mutual_information(const Face& face) {
    const std::size_t c = rows_.n_classes;
    const std::vector<double> before = margin({}).logs;
    const Margin& joint = margin(face);
    const double prior = rows_.theta / static_cast<double>(joint.counts.size()), total = n_ + rows_.theta;
    double information = 0.0;
    for (std::size_t cell = 0; cell < joint.counts.size(); cell += c) {
        double p_cell = 0.0;
        for (std::size_t y = 0; y < c; ++y) p_cell += (joint.counts[cell + y] + prior) / total;
        for (std::size_t y = 0; y < c; ++y)
            information += (joint.counts[cell + y] + prior) / total * (joint.logs[cell + y] - std::log(p_cell) - before[y]);
    }
    return information;
}

}  // namespace graphoid
