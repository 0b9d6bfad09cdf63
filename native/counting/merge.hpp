// Rows that are alike become one: the distinct rows of a stream of codes, and what each of them weighs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"

namespace graphoid {

// Where the code of a variable lies in a packed row. Variables follow each other from the highest bits of the first
// word on, and none lies in two words, so that words compare as rows do: in lexicographic order.
struct Place {
    std::uint32_t word, shift, bits;
};
std::vector<Place> places_of(const std::vector<std::uint32_t>& arities);

class RowMerger {
public:
    // Takes rows of variables with so many states until there are more than `most` different ones.
    RowMerger(const std::vector<std::uint32_t>& arities, std::size_t most);

    // Adds n rows; units (or null for ones) are what each weighs. Returns false, and takes no more rows, once there
    // are too many different ones. `ids`, if given, gets for every row of some weight which of the distinct ones it is.
    bool add(const std::vector<Column>& columns, const std::int64_t* units, std::size_t n, std::uint32_t* ids = nullptr);

    std::size_t size() const { return units_.size(); }
    std::size_t words() const { return words_; }
    const std::vector<Word>& keys() const { return keys_; }    // words() for each distinct row, in order of appearance
    const std::vector<std::int64_t>& units() const { return units_; }

private:
    static constexpr std::size_t kChunk = 1024;  // rows packed at a time: their keys stay in the first cache
    static constexpr std::size_t kAhead = 64;    // rows whose slots are fetched before any of them is looked at

    void pack(const std::vector<Column>& columns, std::size_t start, std::size_t n);
    Word hash(const Word* key) const;
    void grow();

    std::vector<Place> places_;
    std::size_t words_, most_;
    bool full_ = false;
    std::vector<Word> keys_;
    std::vector<std::int64_t> units_;
    std::vector<std::uint64_t> slots_;  // the high half of the hash, and the number of the row plus one; 0 is empty
    std::vector<Word> packed_;
};

}  // namespace graphoid
