// What is known of pairs of variables before directed graphs are looked for; variables are numbered as the search has them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counting/dataset.hpp"

namespace graphoid {

class KnownArcs {
public:
    // Arcs that are there, in one direction or the other; pairs that no moral graph joins; and log odds of pairs of their own.
    KnownArcs(std::size_t n, std::vector<std::pair<int, int>> arcs, const std::vector<std::pair<int, int>>& apart,
              const std::vector<std::tuple<int, int, double>>& log_odds)
        : arcs_(std::move(arcs)), words_((n + 63) / 64) {
        fill(required_, arcs_, n);
        fill(apart_, apart, n);
        for (const auto& [x, y, odds] : log_odds) log_odds_[number(x, y)] = odds;
    }

    const std::vector<std::pair<int, int>>& arcs() const { return arcs_; }  // parent and child
    bool required(int x, int y) const { return has(required_, x, y); }
    bool apart(int x, int y) const { return has(apart_, x, y); }
    // Whether one more parent would join a pair that is known to be apart, itself or by the child.
    bool parts(const std::vector<int>& parents, int parent, int child) const {
        if (apart_.empty()) return false;
        return apart(parent, child) || std::any_of(parents.begin(), parents.end(), [&](int p) { return apart(p, parent); });
    }
    double log_odds(int x, int y, double usual) const {
        if (log_odds_.empty()) return usual;
        const auto own = log_odds_.find(number(x, y));
        return own == log_odds_.end() ? usual : own->second;
    }

private:
    static std::uint64_t number(int x, int y) {
        return static_cast<std::uint64_t>(std::min(x, y)) << 32 | static_cast<std::uint32_t>(std::max(x, y));
    }
    void fill(std::vector<Word>& bits, const std::vector<std::pair<int, int>>& pairs, std::size_t n) const {
        if (pairs.empty()) return;
        bits.assign(n * words_, 0);
        for (const auto& [x, y] : pairs) {
            bits[static_cast<std::size_t>(x) * words_ + static_cast<std::size_t>(y) / 64] |= Word{1} << (y % 64);
            bits[static_cast<std::size_t>(y) * words_ + static_cast<std::size_t>(x) / 64] |= Word{1} << (x % 64);
        }
    }
    bool has(const std::vector<Word>& bits, int x, int y) const {
        return !bits.empty() && (bits[static_cast<std::size_t>(x) * words_ + static_cast<std::size_t>(y) / 64] >> (y % 64) & 1);
    }

    std::vector<std::pair<int, int>> arcs_;
    std::size_t words_;
    std::vector<Word> required_, apart_;  // a bit for every pair; empty where there is none
    std::unordered_map<std::uint64_t, double> log_odds_;
};

}  // namespace graphoid
