// The cells of a joint table that occur are data with fewer rows, off which every smaller table can be read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/slices.hpp"

namespace graphoid {

// A table of (slice, x, y), last fastest, over the slices of `given`: all of them where they are few, else those that
// occur among the rows. It is the same whatever it is read off.
struct Crossing {
    int x, y;
    std::vector<int> given;  // ascending

    std::vector<int> variables() const;  // ascending
    bool operator<(const Crossing& other) const { return std::tie(x, y, given) < std::tie(other.x, other.y, other.given); }
};

// Which cell of a crossing each of some rows belongs to.
struct Crossed {
    std::size_t slices = 0, size = 0;  // of the table; its cells
    std::vector<std::uint32_t> cell;
};

class Cells {
public:
    // `variables` ascending; columns have one byte a code. `base`, of all but one of them, saves most of the work.
    Cells(const Dataset& data, const std::vector<int>& variables, const Cells* base = nullptr);

    const std::vector<int> variables;
    std::size_t n() const { return found_.row_in.size(); }
    // The cell of every row of the data: one of the two, the first where two bytes hold it.
    const std::vector<std::uint16_t>& of_rows16() const { return found_.ids16; }
    const std::vector<std::uint32_t>& of_rows32() const { return found_.ids32; }
    // The cell of a crossing of some of the variables that each cell here is part of.
    const Crossed& cross(const Crossing& q);
    std::size_t bytes() const { return found_.bytes() + states_.size(); }

private:
    struct Found {
        std::vector<std::uint16_t> ids16;
        std::vector<std::uint32_t> ids32;
        std::vector<std::uint32_t> row_in;  // a row of every cell
        std::size_t bytes() const { return 2 * ids16.size() + 4 * ids32.size(); }
    };
    static Found find(const Dataset& data, const std::vector<int>& variables, const Cells* base);

    const Simd& simd_;
    Found found_;
    std::vector<std::uint8_t> states_;   // of the first variable in every cell, then of the next
    std::vector<Column> columns_;        // the same as data with a row a cell; one for each of `variables`
    std::map<Crossing, Crossed> crossed_;
};

}  // namespace graphoid
