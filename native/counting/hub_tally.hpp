// Counts of a hub variable against many others within slices, by grouping rows and tallying row-major blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/slices.hpp"

namespace graphoid {

class HubTally {
public:
    HubTally(Dataset& data, const Slices* slices, int hub);
    static constexpr std::uint32_t kEnough = 6;  // a block costs about as much as so many single tables
    // Whether this way pays, for so many slices and others.
    static bool pays(const Dataset& data, double slices, int hub, std::size_t others);
    void tally_block(int block);
    // cells[slice][hub][v] of one variable of the block tallied last; `cells` has room for all.
    void table_of(int v, std::uint32_t* cells) const;

private:
    Dataset& data_;
    std::size_t slices_;
    std::uint32_t hub_arity_, states_ = 0;
    std::vector<std::uint32_t> order_;   // rows sorted by (slice, hub)
    std::vector<std::uint32_t> start_;   // where each group begins in it
    std::vector<std::uint32_t> counts_;  // [group][state][lane]
};

}  // namespace graphoid
