// Counting as such: dense tables, and the configurations that occur.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/slices.hpp"

namespace graphoid {

// Buffers that one thread reuses from table to table.
struct Scratch {
    std::vector<std::uint32_t> table;      // all zero between uses
    std::vector<std::int64_t> weighted;    // likewise
    std::vector<std::uint16_t> code16;
    std::vector<std::uint32_t> code32;
    std::vector<std::uint8_t> zeros;
};

// Up to this many cells a table of counts is written out; beyond, only the cells that occur are listed.
std::size_t dense_limit(std::size_t n_rows);

// Adds counts of (slice, x, y) to scratch.table, which gets slices->n * rx * ry cells (null: one slice).
// The caller sets them back to zero. Needs that number to be at most dense_limit.
void count_cells(const Dataset& data, const Slices* slices, int x, int y, Scratch& scratch);
// Adds counts of up to 65,536 cells of `variables`, last fastest, to scratch.table, which the caller sets back to
// zero. Does nothing and returns false where columns are too wide for that.
bool count_mixed(const Dataset& data, const std::vector<int>& variables, Scratch& scratch);
// Counts of (slice, x, y) in units of weight, to scratch.weighted.
void weigh_cells(const Dataset& data, const Slices* slices, int x, int y, Scratch& scratch);

// A table of the states of `variables` in the order given, last fastest; out has all cells, to which the counts are added.
struct TableJob {
    std::vector<int> variables;
    std::int64_t* out;
};
void count_tables(Dataset& data, const std::vector<TableJob>& jobs, unsigned threads);

// Configurations that occur, in lexicographic order, and their counts. A configuration is given by its
// mixed-radix code, of states, or, where codes would not fit into 32 bits, by a row where it is seen.
struct Occurring {
    std::vector<std::uint32_t> codes, rows;  // one of both is empty
    std::vector<std::int64_t> counts;
};
Occurring count_occurring(const Dataset& data, const std::vector<int>& variables);

// Whether so many AND + popcount passes over bit planes cost less than one histogram.
bool planes_pay(const Dataset& data, double passes);

}  // namespace graphoid
