// What answers prove about a graph of at most 64 variables: learners/pfmn/proofs.py, which says what this must do.
#pragma once
#include <cstddef>
#include <vector>

#include "graphs/separation.hpp"

namespace graphoid {

// x and y are independent given `given`.
struct Apart {
    int x, y;
    Word given;
};

// All of `group` are connected given `given`; `settled`: all that follows for it from the possible edges is known.
struct Together {
    int x, y;
    Word given, group;
    bool settled;
};

// A pair that became certain or impossible, by the fact of this place among those together or apart.
struct Decision {
    int x, y;
    bool joined;
    std::size_t fact;
};

struct Bounds {
    int n;
    std::vector<Word> lower, upper;
    std::vector<Apart> apart;
    std::vector<Together> together;
    std::vector<Decision> decided;  // in order

    // Applies the rules until nothing changes.
    void tighten();

private:
    Word connected(int x, Word given) const;
    bool need(Apart& a) const;
    bool part_sides(std::size_t i);
    bool extend(Together& t) const;
    bool join_bridges(std::size_t i);
};

}  // namespace graphoid
