// The numbers of a test from packed rows, whose table is too large to be held whole. Rows come once for every part of the
// slices. Where cells are not many more than rows, those of a part are written out; else the rows of a part are put into
// buckets by their slice, small enough for the slices of one after the other to be found within the caches.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "counting/merge.hpp"
#include "tests/judge.hpp"

namespace graphoid {

// Packed rows: word w of row i is words[w * word_step + i * row_step].
struct PackedBlock {
    const Word* words;
    std::ptrdiff_t word_step, row_step;
    std::size_t n;
};

class PackedTally {
public:
    // Rows have variables with so many states; `order` has the places among them of those given, then of x and y, which
    // have 2^62 cells at most. `rows` is how many rows there are, and `held` how many numbers may be held at a time.
    PackedTally(const std::vector<std::uint32_t>& arities, const std::vector<std::uint32_t>& order, const Settings& settings,
                double pseudo_count, std::size_t rows, std::size_t held);

    std::size_t n_parts() const { return n_parts_; }
    // No units means one each. Returns whether all codes are states.
    bool add(const PackedBlock& rows, const std::int64_t* units);
    // The slices of the part at hand go to the test, and the next part begins.
    void close_part();
    Numbers end() { return judge_.end(); }

private:
    static constexpr std::size_t kChunk = 1024;       // rows whose cells are found before they are counted
    static constexpr std::size_t kCellsPerRow = 4;    // up to which writing out is quicker
    static constexpr std::size_t kMostWritten = 2;    // parts of a table that is written out
    static constexpr std::size_t kBucketCells = 1 << 17;  // of a bucket: half a megabyte
    static constexpr std::size_t kBucketRows = 1 << 13;

    // What eight bits of a word add to the number of a cell: it is a sum over bits, whatever variables they are of.
    struct Bits {
        std::size_t word;
        std::uint32_t shift;
        std::array<std::uint64_t, 256> add;
    };
    // Rows by their cells, and what they weigh where that is not one each.
    struct Bucket {
        std::vector<std::uint64_t> cells;
        std::vector<std::uint32_t> units;
    };

    template <int Count>
    static void add_bits(const Bits* bits, const Word* word, std::ptrdiff_t step, std::size_t n, std::uint64_t* cell);
    void find_cells(const PackedBlock& rows, std::size_t start, std::size_t n, std::uint64_t* cell) const;
    void find_bits(const std::vector<std::uint32_t>& arities, const std::vector<std::uint32_t>& order);
    bool write(const std::uint64_t* cell, const std::int64_t* units, std::size_t n);
    bool put(const std::uint64_t* cell, const std::int64_t* units, std::size_t n);
    void judge_bucket(Bucket& rows);

    bool written_;
    std::size_t size_, n_parts_, part_ = 0;  // cells of a slice; parts, and which is at hand
    std::uint32_t slice_shift_ = 0;          // cells of a slice in bits, where rows are put into buckets
    std::uint64_t n_cells_ = 1;
    std::size_t part_slices_ = 0;            // of a part that is written out
    std::vector<Bits> bits_;
    std::shared_ptr<RisingTables> rising_;
    Judge judge_;
    std::vector<std::uint32_t> cells_;
    std::vector<Bucket> buckets_;
    std::vector<std::uint64_t> slices_;      // found in a bucket
    std::vector<std::uint32_t> slots_, slice_of_, rows_of_;  // to find them by; of every row; what each weighs
};

}  // namespace graphoid
