// Separation in one graph of at most 64 variables, one word of neighbors each: structure/separation.py.
#pragma once
#include <cstdint>

namespace graphoid {

using Word = std::uint64_t;

inline int lowest(Word set) { return __builtin_ctzll(set); }
inline Word bit(int i) { return Word{1} << i; }

inline bool joined(const Word* graph, int x, int y) { return graph[x] >> y & 1; }

// x and all that a path joins to it without touching `removed`.
inline Word reachable(const Word* graph, int x, Word removed) {
    Word seen = bit(x), todo = graph[x] & ~removed & ~seen;
    while (todo) {
        const int v = lowest(todo);
        seen |= bit(v);
        todo = (todo | graph[v]) & ~seen & ~removed;
    }
    return seen;
}

// Whether every path from x to y goes through `given`.
inline bool separated(const Word* graph, int x, int y, Word given) {
    const Word target = bit(y);
    Word closed = given | bit(x), todo = graph[x] & ~closed;
    while (!(todo & target)) {
        if (!todo) return true;
        const int v = lowest(todo);
        closed |= bit(v);
        todo = (todo | graph[v]) & ~closed;
    }
    return false;
}

}  // namespace graphoid
