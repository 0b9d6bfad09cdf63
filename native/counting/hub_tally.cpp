#include "counting/hub_tally.hpp"

#include <algorithm>

namespace graphoid {

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
    const std::uint8_t* bytes = data_.block(block);
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

}  // namespace graphoid
