#include "graphs/bounds.hpp"

namespace graphoid {

void Bounds::tighten() {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < apart.size(); ++i) {
            changed |= need(apart[i]);
            if (!part_sides(i)) continue;
            changed = true;
            for (Together& t : together) t.settled = false;
        }
        for (std::size_t i = 0; i < together.size(); ++i) {
            Together& t = together[i];
            if (t.settled || separated(upper.data(), t.x, t.y, t.given)) continue;  // nothing new, or contradicted
            changed |= extend(t);
            t.settled = true;
            changed |= join_bridges(i);
        }
    }
}

Word Bounds::connected(int x, Word given) const {
    Word found = bit(x), last = 0;
    while (found != last) {
        last = found;
        for (Word left = found; left; left &= left - 1) found |= lower[lowest(left)] & ~given;
        for (const Together& t : together)
            if ((t.group & found) && !(given & ~t.given)) found |= t.group;
    }
    return found;
}

bool Bounds::need(Apart& a) const {
    const Word before = a.given;
    for (Word left = before; left; left &= left - 1) {
        const int v = lowest(left);
        const Word reached = reachable(upper.data(), v, a.given & ~bit(v));
        if (!(reached >> a.x & reached >> a.y & 1)) a.given &= ~bit(v);
    }
    return a.given != before;
}

bool Bounds::part_sides(std::size_t i) {
    const Apart& a = apart[i];
    const Word side = connected(a.x, a.given), other = connected(a.y, a.given);
    const std::size_t before = decided.size();
    for (Word left = side; left; left &= left - 1) {
        const int v = lowest(left);
        for (Word across = upper[v] & ~lower[v] & other; across; across &= across - 1) decided.push_back({v, lowest(across), false, i});
    }
    for (std::size_t d = before; d < decided.size(); ++d) {
        upper[decided[d].x] &= ~bit(decided[d].y);
        upper[decided[d].y] &= ~bit(decided[d].x);
    }
    return decided.size() > before;
}

bool Bounds::extend(Together& t) const {
    const Word everything = n == 64 ? ~Word{0} : bit(n) - 1, ends = bit(t.x) | bit(t.y);
    Word given = everything & ~reachable(upper.data(), t.x, t.given), group = ends;
    for (Word left = everything & ~given; left; left &= left - 1) {
        const int v = lowest(left);
        const Word without = given | bit(v);
        Word kept = reachable(upper.data(), v == t.x ? t.y : t.x, without) | bit(v);
        if (!(ends >> v & 1) && !(kept >> t.y & 1)) {
            group |= bit(v);
            kept |= reachable(upper.data(), t.y, without);
        }
        given |= everything & ~kept;
    }
    const bool changed = given != t.given || group != t.group;
    t.given = given;
    t.group = group;
    return changed;
}

bool Bounds::join_bridges(std::size_t i) {
    const Together& t = together[i];
    const std::size_t before = decided.size();
    for (Word left = t.group; left; left &= left - 1) {
        const int v = lowest(left);
        for (Word open = upper[v] & ~lower[v] & (left & (left - 1)); open; open &= open - 1) {
            const int u = lowest(open);
            upper[v] ^= bit(u), upper[u] ^= bit(v);
            const bool bridge = separated(upper.data(), t.x, t.y, t.given);
            upper[v] ^= bit(u), upper[u] ^= bit(v);
            if (!bridge) continue;
            lower[v] |= bit(u), lower[u] |= bit(v);
            decided.push_back({v, u, true, i});
        }
    }
    return decided.size() > before;
}

}  // namespace graphoid
