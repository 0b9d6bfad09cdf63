// Counting as such: dense tables, the configurations that occur, all pairs, one against all.
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

// A table of `variables` in the order given, last fastest; out has all cells, to which the counts are added.
struct TableJob {
    std::vector<int> variables;
    std::int64_t* out;
};
void count_tables(Dataset& data, const std::vector<TableJob>& jobs, unsigned threads);

// Configurations that occur, in lexicographic order, and their counts. A configuration is given by its
// mixed-radix code or, where codes would not fit into 32 bits, by a row where it is seen.
struct Occurring {
    std::vector<std::uint32_t> codes, rows;  // one of both is empty
    std::vector<std::int64_t> counts;
};
Occurring count_occurring(const Dataset& data, const std::vector<int>& variables);

// Tables of every pair x < y among `variables`, one after the other, x major.
void count_pairs(Dataset& data, const std::vector<int>& variables, unsigned threads, std::int64_t* out);

// Counts of (given..., x, y) for every y: for each y a table of slices->n * rx * ry cells, one after the other.
void count_one_against(Dataset& data, const Slices* slices, int x, const std::vector<int>& others, unsigned threads,
                       std::int64_t* out);


// Whether so many AND + popcount passes over bit planes cost less than one histogram.
bool planes_pay(const Dataset& data, double passes);

// Counts of a hub variable against many others within slices, by grouping rows and tallying row-major blocks.
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
