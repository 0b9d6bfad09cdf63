// A table of codes as the kernels see it: borrowed columns, and what is derived from them when first needed.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "counting/simd.hpp"

namespace graphoid {

// Adds weights; sums that no 64 bits hold wrap instead of being undefined.
inline void add_units(std::int64_t& to, std::int64_t more) {
    to = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(more));
}

struct Column {
    const std::uint8_t* narrow = nullptr;   // up to 256 states
    const std::uint16_t* wide = nullptr;    // more; exactly one of the two is set
    std::uint32_t arity = 0;                // codes that there are
    bool holes = false;                     // whether the last of them is that of missing cells, which have no state

    std::uint32_t states() const { return arity - holes; }
    bool missing(std::size_t row) const { return holes && (*this)[row] + 1 == arity; }
    std::uint32_t operator[](std::size_t row) const { return narrow != nullptr ? narrow[row] : wide[row]; }
};

// Memory for vectors of words that starts on a cache line.
struct AlignedFree {
    void operator()(void* p) const;
};
template <class T>
using Aligned = std::unique_ptr<T[], AlignedFree>;
void* aligned_bytes(std::size_t bytes);
template <class T>
Aligned<T> aligned(std::size_t n) {
    return Aligned<T>(static_cast<T*>(aligned_bytes(n * sizeof(T))));
}

constexpr std::size_t kChunk = 4096;  // rows whose codes stay in the first cache

class Dataset {
public:
    static constexpr std::uint32_t kMaxPlanes = 8;         // states up to which a column is kept as bit planes
    static constexpr std::uint32_t kMaxTallied = 16;       // states up to which it goes into a row-major block
    static constexpr std::size_t kBlockBytes = 512u << 20; // the most that all row-major blocks may take

    Dataset(std::size_t n_rows, std::vector<Column> columns, const std::int64_t* units, double unit,
            const Simd* simd);

    const std::size_t n_rows;
    const std::size_t words;                // of one bit plane, padded
    const std::vector<Column> columns;
    const std::int64_t* const units;        // fixed-point row weights, or null
    const double unit;
    const Simd& simd;

    // code[i] = code[i] * arity + v's code in row start + i, for n rows.
    template <class Code>
    void mix(Code* code, int v, std::size_t start, std::size_t n) const {
        const Column& column = columns[v];
        if (column.narrow == nullptr) {
            for (std::size_t i = 0; i < n; ++i) code[i] = static_cast<Code>(code[i] * column.arity + column.wide[start + i]);
        } else if constexpr (sizeof(Code) == 2) {
            simd.mix16(code, column.narrow + start, static_cast<std::uint16_t>(column.arity), n);
        } else {
            simd.mix32(code, column.narrow + start, column.arity, n);
        }
    }

    // The mixed-radix code of `variables`, last fastest, in n rows.
    template <class Code>
    void mix(Code* code, const std::vector<int>& variables, std::size_t start, std::size_t n) const {
        std::fill(code, code + n, Code{0});
        for (const int v : variables) mix(code, v, start, n);
    }

    // Whether any of `variables` may have missing cells.
    bool holes(const std::vector<int>& variables) const {
        return std::any_of(variables.begin(), variables.end(), [this](int v) { return columns[v].holes; });
    }

    bool planar(int v) const { return columns[v].narrow != nullptr && columns[v].arity <= kMaxPlanes; }
    // Bit plane of `v == state`, and how many ones it has. Both come to be at the first call for v.
    const Word* plane(int v, std::uint32_t state) { return planes_of(v).bits.get() + state * words; }
    std::uint32_t margin(int v, std::uint32_t state) { return planes_of(v).margin[state]; }

    // Row-major blocks of kLanes columns for tallies around a hub variable. block_of(v) < 0: v is in none.
    int block_of(int v) const { return block_of_[v]; }
    int lane_of(int v) const { return lane_of_[v]; }
    std::uint32_t block_arity(int b) const { return blocks_[b].arity; }
    const std::uint8_t* block(int b);

private:
    struct Planes {
        std::atomic<bool> ready{false};
        Aligned<Word> bits;
        std::vector<std::uint32_t> margin;
    };
    struct Block {
        std::once_flag once;
        std::vector<int> variables;
        std::uint32_t arity = 0;             // the largest in the block
        Aligned<std::uint8_t> bytes;
    };
    Planes& planes_of(int v) {
        Planes& planes = planes_[v];
        if (!planes.ready.load(std::memory_order_acquire)) make(v);
        return planes;
    }
    void make(int v);

    std::vector<Planes> planes_;
    std::mutex making_;
    std::deque<Block> blocks_;
    std::vector<int> block_of_, lane_of_;
};

}  // namespace graphoid
