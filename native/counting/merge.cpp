#include "counting/merge.hpp"

#include <algorithm>
#include <cstring>

namespace graphoid {

std::vector<Place> places_of(const std::vector<std::uint32_t>& arities) {
    std::vector<Place> places;
    std::uint32_t word = 0, free = 64;
    for (const std::uint32_t arity : arities) {
        std::uint32_t bits = 0;
        while ((std::uint64_t{1} << bits) < arity) ++bits;
        if (bits > free) ++word, free = 64;
        free -= bits;
        places.push_back({word, free, bits});
    }
    return places;
}

RowMerger::RowMerger(const std::vector<std::uint32_t>& arities, std::size_t most)
    : places_(places_of(arities)), words_(places_.empty() ? 1 : places_.back().word + 1), most_(most),
      slots_(std::size_t{1} << 12, 0), packed_(kChunk * words_) {}

Word RowMerger::hash(const Word* key) const {
    Word h = 0x9E3779B97F4A7C15u;
    for (std::size_t w = 0; w < words_; ++w) {
        h = (h ^ key[w]) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 29;
}

namespace {

template <class Code>
void mix_in(Word* packed, std::size_t words, const Code* codes, std::size_t n, std::uint32_t shift) {
    for (std::size_t i = 0; i < n; ++i) packed[i * words] |= static_cast<Word>(codes[i]) << shift;
}

}  // namespace

void RowMerger::pack(const std::vector<Column>& columns, std::size_t start, std::size_t n) {
    std::fill_n(packed_.begin(), n * words_, 0);
    for (std::size_t v = 0; v < columns.size(); ++v) {
        const Place place = places_[v];
        if (place.bits == 0) continue;
        Word* at = packed_.data() + place.word;
        if (columns[v].narrow != nullptr)
            mix_in(at, words_, columns[v].narrow + start, n, place.shift);
        else
            mix_in(at, words_, columns[v].wide + start, n, place.shift);
    }
}

void RowMerger::grow() {
    std::vector<std::uint64_t> slots(slots_.size() * 2, 0);
    const std::size_t mask = slots.size() - 1;
    for (std::size_t r = 0; r < units_.size(); ++r) {
        const Word h = hash(keys_.data() + r * words_);
        std::size_t at = h & mask;
        while (slots[at] != 0) at = (at + 1) & mask;
        slots[at] = (h >> 32 << 32) | (r + 1);
    }
    slots_.swap(slots);
}

bool RowMerger::add(const std::vector<Column>& columns, const std::int64_t* units, std::size_t n, std::uint32_t* ids) {
    Word hashes[kAhead];
    for (std::size_t start = 0; start < n && !full_; start += kChunk) {
        const std::size_t chunk = std::min(kChunk, n - start);
        pack(columns, start, chunk);
        for (std::size_t first = 0; first < chunk; first += kAhead) {
            const std::size_t some = std::min(kAhead, chunk - first);
            if (2 * (units_.size() + some) > slots_.size()) grow();
            const std::size_t mask = slots_.size() - 1;
            const Word* key = packed_.data() + first * words_;
            // Three rounds, so that memory is waited for once for all of them: where to look, what is there, compare.
            for (std::size_t i = 0; i < some; ++i) {
                hashes[i] = hash(key + i * words_);
                __builtin_prefetch(&slots_[hashes[i] & mask]);
            }
            for (std::size_t i = 0; i < some; ++i) {
                const std::uint64_t slot = slots_[hashes[i] & mask];
                if (slot == 0) continue;
                const std::size_t row = (slot & 0xFFFFFFFFu) - 1;
                __builtin_prefetch(&keys_[row * words_]);
                __builtin_prefetch(&units_[row], 1);
            }
            for (std::size_t i = 0; i < some; ++i, key += words_) {
                const std::int64_t weight = units != nullptr ? units[start + first + i] : 1;
                if (weight == 0) continue;  // rows of weight zero do not occur
                std::size_t at = hashes[i] & mask;
                for (;; at = (at + 1) & mask) {
                    const std::uint64_t slot = slots_[at];
                    if (slot == 0) {
                        if (ids != nullptr) ids[start + first + i] = static_cast<std::uint32_t>(units_.size());
                        slots_[at] = (hashes[i] >> 32 << 32) | (units_.size() + 1);
                        keys_.insert(keys_.end(), key, key + words_);
                        units_.push_back(weight);
                        break;
                    }
                    if (slot >> 32 != hashes[i] >> 32) continue;
                    const std::size_t row = (slot & 0xFFFFFFFFu) - 1;
                    if (std::memcmp(&keys_[row * words_], key, words_ * sizeof(Word)) == 0) {
                        add_units(units_[row], weight);
                        if (ids != nullptr) ids[start + first + i] = static_cast<std::uint32_t>(row);
                        break;
                    }
                }
            }
            if (units_.size() > most_) {
                full_ = true;
                break;
            }
        }
    }
    return !full_;
}

}  // namespace graphoid
