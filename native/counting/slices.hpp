// Slice ids: for every row, which configuration of the conditioning set it belongs to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "counting/dataset.hpp"

namespace graphoid {

struct Slices {
    std::vector<int> given;               // the variables, in the order in which they were mixed
    std::size_t n = 1;                    // ids run from 0 to n - 1
    bool compact = false;                 // every id occurs, and ids are ranks of configurations
    bool discard = false;                 // whether the last id is that of rows in which a cell is missing
    std::size_t kept() const { return n - discard; }
    std::vector<std::uint16_t> ids16;     // used while n fits
    std::vector<std::uint32_t> ids32;     // else
    std::uint32_t operator[](std::size_t row) const {
        return !ids16.empty() ? ids16[row] : !ids32.empty() ? ids32[row] : 0;
    }
    std::size_t bytes() const { return 2 * ids16.capacity() + 4 * ids32.capacity(); }
};

// Slices of the variables in the order given; ids that do not occur are removed where there are too many of
// them to step over, or always (`ranked`). Ranks follow the lexicographic order of the configurations.
void make_slices(Slices& out, const Dataset& data, const std::vector<int>& given, bool ranked);
// Slices of `base` split further by one variable.
void refine_slices(Slices& out, const Dataset& data, const Slices& base, int variable, bool ranked);

// The slices asked for last. A set that has one variable more than a set held here costs one pass.
class SliceCache {
public:
    explicit SliceCache(std::size_t max_bytes = 64u << 20, std::size_t max_sets = 32)
        : max_bytes_(max_bytes), max_sets_(max_sets) {}
    // `given` must be sorted.
    std::shared_ptr<const Slices> get(const Dataset& data, const std::vector<int>& given);

private:
    using Entry = std::shared_ptr<Slices>;
    Entry recycled();
    std::mutex mutex_;
    std::list<Entry> held_;  // most recent first
    std::size_t max_bytes_, max_sets_;
};

}  // namespace graphoid
