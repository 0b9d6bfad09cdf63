// The slices of a question whose table is too large to be held: rows come part by part, and no slice lies in two parts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/judge.hpp"
#include "counting/merge.hpp"

namespace graphoid {

class SliceTally {
public:
    // A test of variables with rx and ry states given variables with so many; counts are units of weight. `rows` is
    // about how many rows there will be.
    SliceTally(std::vector<std::uint32_t> given, std::uint32_t rx, std::uint32_t ry, double unit, const Settings& settings,
               double pseudo_count, double rows);

    // Rows of the part at hand: the columns of the given variables, then x and y. No weights means one unit each.
    void add(const std::vector<Column>& columns, const std::int64_t* units, std::size_t n);
    // The part is complete: its slices go to the test and are forgotten.
    void close_part();
    Numbers end() { return judge_.end(); }

private:
    static constexpr std::size_t kChunk = 4096;  // rows whose slices are looked up before they are counted

    std::vector<std::uint32_t> given_;
    std::size_t size_;  // cells of a slice
    std::uint32_t ry_;
    double unit_;
    std::shared_ptr<RisingTables> rising_;
    Judge judge_;
    std::unique_ptr<RowMerger> slices_;
    std::vector<std::int64_t> cells_;
    std::vector<std::uint32_t> ids_;
};

}  // namespace graphoid
