#include "graphs/knowledge.hpp"

#include <algorithm>

namespace graphoid {

Knowledge::Knowledge(int n)
    : n_(n), words_((static_cast<std::size_t>(n) + 63) / 64 + (n == 0)), first_(2 * static_cast<std::size_t>(n) * n, -1), last_(first_),
      dependent_(n * words_, 0), independent_(n * words_, 0), between_(n), given_(words_) {
    for (int x = 0; x < n; ++x) between_[x] = x;
}

bool Knowledge::within(const Word* a, const Word* b) const {
    for (std::size_t i = 0; i < words_; ++i)
        if (a[i] & ~b[i]) return false;
    return true;
}

int Knowledge::number_of(const Word* set) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < words_; ++i) hash = (hash ^ set[i]) * 0x9e3779b97f4a7c15u + (hash >> 29);
    const auto [first, last] = numbers_.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (std::equal(set, set + words_, sets_.data() + static_cast<std::size_t>(known->second) * words_)) return known->second;
    const int number = static_cast<int>(sets_.size() / words_);
    sets_.insert(sets_.end(), set, set + words_);
    numbers_.emplace(hash, number);
    return number;
}

void Knowledge::add(int x, int y, const Word* given, bool independent, int verdict) {
    const std::size_t here = pair(x, y, independent), there = pair(y, x, independent);
    const int same = number_of(given);
    for (int i = first_[here]; i >= 0; i = facts_[i].next)
        if (facts_[i].set == same) return;
    const int i = static_cast<int>(facts_.size());
    facts_.push_back({x, y, independent, verdict, -1, same});
    if (last_[here] >= 0) facts_[last_[here]].next = i;
    else first_[here] = first_[there] = i;
    last_[here] = last_[there] = i;
    std::vector<Word>& masks = independent ? independent_ : dependent_;
    of(masks, x)[y / 64] |= Word{1} << y % 64;
    of(masks, y)[x / 64] |= Word{1} << x % 64;
}

Step Knowledge::infer(int x, int y, const Word* s) {
    Step step;
    for (int i = first_[pair(x, y, false)]; i >= 0; i = facts_[i].next)
        if (within(s, set(i))) return {d_su, i, -1, within(set(i), s)};
    if (triangle_dependence(x, y, s, step)) {
        for (std::size_t k = 0; k < words_; ++k) given_[k] = set(step.first)[k] & set(step.second)[k];
        add(x, y, given_.data(), false, -1);
        return step;
    }
    for (int i = first_[pair(x, y, true)]; i >= 0; i = facts_[i].next)
        if (within(set(i), s)) return {i_su, i, -1, within(s, set(i))};
    if (triangle_independence(x, y, s, step)) {
        given_.assign(set(step.first), set(step.first) + words_);
        add(x, y, given_.data(), true, -1);
    }
    return step;
}

bool Knowledge::depends_through(int x, int y, int w, const Word* s, Step& step) const {
    for (int i = first_[pair(x, w, false)]; i >= 0; i = facts_[i].next) {
        if (!within(s, set(i))) continue;
        for (int j = first_[pair(w, y, false)]; j >= 0; j = facts_[j].next)
            if (within(s, set(j))) {
                step = {d_triangle, i, j, false};
                return true;
            }
    }
    return false;
}

bool Knowledge::triangle_dependence(int x, int y, const Word* s, Step& step) {
    if (depends_through(x, y, between_[x], s, step)) return true;
    const Word *of_x = of(dependent_, x), *of_y = of(dependent_, y);
    for (std::size_t k = 0; k < words_; ++k)
        for (Word rest = of_x[k] & of_y[k] & ~s[k]; rest; rest &= rest - 1) {
            const int w = static_cast<int>(64 * k) + __builtin_ctzll(rest);
            if (depends_through(x, y, w, s, step)) {
                between_[x] = w;
                return true;
            }
        }
    return false;
}

bool Knowledge::triangle_independence(int x, int y, const Word* s, Step& step) {
    for (int role = 0; role < 2; ++role) {
        const int one = role ? y : x, other = role ? x : y;
        const Word *not_of = of(independent_, one), *of_other = of(dependent_, other);
        for (std::size_t k = 0; k < words_; ++k)
            for (Word rest = s[k] & not_of[k] & of_other[k]; rest; rest &= rest - 1) {
                const int w = static_cast<int>(64 * k) + __builtin_ctzll(rest);
                for (int i = first_[pair(one, w, true)]; i >= 0; i = facts_[i].next) {
                    if (!within(set(i), s)) continue;
                    for (int j = first_[pair(w, other, false)]; j >= 0; j = facts_[j].next)
                        if (within(set(i), set(j))) {
                            step = {i_triangle, i, j, false};
                            return true;
                        }
                }
            }
    }
    return false;
}

}  // namespace graphoid
