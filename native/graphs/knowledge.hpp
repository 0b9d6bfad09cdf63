// What is known about pairs of variables, and what follows from it by one step: logic/knowledge.py and logic/axioms.py,
// which say what this must do.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace graphoid {

using Word = std::uint64_t;

enum Rule { no_rule = -1, d_su = 0, d_triangle = 1, i_su = 2, i_triangle = 3 };

struct Fact {
    int x, y;
    bool independent;
    int verdict;  // a number of the caller's, or -1 if the fact was inferred
    int next;     // the fact that became known next about the same pair, with the same answer
    int set;      // the number of what was given: facts about many pairs share one
};

struct Step {
    Rule rule = no_rule;
    int first = -1, second = -1;  // what it follows from
    bool repeats = false;    // the first is about the very same set
};

class Knowledge {
public:
    explicit Knowledge(int n);

    int n() const { return n_; }
    std::size_t words() const { return words_; }
    std::size_t size() const { return facts_.size(); }
    const Fact& fact(int i) const { return facts_[i]; }
    const Word* set(int i) const { return sets_.data() + static_cast<std::size_t>(facts_[i].set) * words_; }

    void add(int x, int y, const Word* given, bool independent, int verdict);

    // The first rule that answers, in the order of the enumeration. What a triangle concludes is remembered.
    Step infer(int x, int y, const Word* given);

private:
    int number_of(const Word* set);
    std::size_t pair(int x, int y, bool independent) const { return 2 * (static_cast<std::size_t>(x) * n_ + y) + independent; }
    bool within(const Word* a, const Word* b) const;
    Word* of(std::vector<Word>& masks, int x) { return masks.data() + x * words_; }
    bool depends_through(int x, int y, int w, const Word* s, Step& step) const;
    bool triangle_dependence(int x, int y, const Word* s, Step& step);
    bool triangle_independence(int x, int y, const Word* s, Step& step);

    int n_;
    std::size_t words_;
    std::vector<Fact> facts_;
    std::vector<Word> sets_;                        // those that differ, one after the other
    std::unordered_multimap<std::uint64_t, int> numbers_;  // of these by their hash
    std::vector<int> first_, last_;                 // of every ordered pair and answer
    std::vector<Word> dependent_, independent_;     // of every variable: with whom, whatever was given
    std::vector<int> between_;                      // the w that last showed by a triangle what x depends on
    std::vector<Word> given_;
};

}  // namespace graphoid
