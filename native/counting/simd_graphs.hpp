// Part of simd.cpp, within its namespace: a search in many graphs at once.

// Half the bits of a block of graphs, because gcc keeps vectors wider than the registers in memory.
typedef Word Half __attribute__((vector_size(4 * kBlockWords), aligned(8)));

inline bool any(const Half& bits) {
#if defined(__AVX2__)
    return !_mm256_testz_si256(reinterpret_cast<__m256i>(bits), reinterpret_cast<__m256i>(bits));
#else
    return (bits[0] | bits[1]) | (bits[2] | bits[3]);
#endif
}

// The bits of a block, or of its first half where there are no more graphs.
template <int Halves>
struct Bits {
    Half half[Halves];

    template <class Each>
    void each(Each of) {
        for (int h = 0; h < Halves; ++h) half[h] = of(h);
    }
    bool some() const {
        if constexpr (Halves == 1) return any(half[0]);
        return any(half[0] | half[Halves - 1]);
    }
    int count() const {
        int found = 0;
        for (const Half& bits : half)
            for (int w = 0; w < 4; ++w) found += __builtin_popcountll(bits[w]);
        return found;
    }
};

constexpr int kFewGraphs = 20;  // a search in each of them takes less time than another round in all

// What is reached in some graphs spreads along edges until nothing changes, or only in a few. Graphs in which y is
// reached are done, and so is a variable that is reached in all the others.
template <int Halves>
void search_in(const Word* planes, const Word* joined, unsigned n, unsigned x, unsigned y, Word open, Word* apart, Word* undone) {
    using Graphs = Bits<Halves>;
    Graphs reached[64];
    const auto row = [&](unsigned v) { return reinterpret_cast<const Bits<2>*>(planes) + static_cast<size_t>(v) * n; };
    for (Word left = open; left; left &= left - 1) {
        const auto v = static_cast<unsigned>(__builtin_ctzll(left));
        reached[v].each([&](int h) { return row(x)[v].half[h]; });
    }
    const auto spread = [&](unsigned v, Word from) {
        const Bits<2>* edges = row(v);
        Graphs found = reached[v];
        for (Word left = from & joined[v]; left; left &= left - 1) {
            const auto u = static_cast<unsigned>(__builtin_ctzll(left));
            found.each([&](int h) { return found.half[h] | (reached[u].half[h] & edges[u].half[h]); });
        }
        return found;
    };
    Word unfinished = open & ~(Word{1} << y), changed = unfinished;
    Graphs moving = {}, running, fresh;
    while (changed) {
        reached[y] = spread(y, changed);
        running.each([&](int h) { return ~reached[y].half[h]; });
        moving.each([&](int h) { return moving.half[h] & running.half[h]; });
        if (!running.some()) break;
        const int left_over = moving.count();
        if (left_over > 0 && left_over <= kFewGraphs) break;
        moving = Graphs{};
        Word next = 0;
        for (Word left = unfinished; left; left &= left - 1) {
            const auto v = static_cast<unsigned>(__builtin_ctzll(left));
            const Graphs found = spread(v, changed | next);
            fresh.each([&](int h) { return found.half[h] & ~reached[v].half[h] & running.half[h]; });
            if (fresh.some()) next |= Word{1} << v;
            moving.each([&](int h) { return moving.half[h] | fresh.half[h]; });
            fresh.each([&](int h) { return ~found.half[h] & running.half[h]; });
            if (!fresh.some()) unfinished &= ~(Word{1} << v);
            reached[v] = found;
        }
        changed = next;
    }
    std::memcpy(apart, &reached[y], sizeof reached[y]);
    std::memcpy(undone, &moving, sizeof moving);
    for (size_t w = 0; w < kBlockWords / 2 * Halves; ++w) apart[w] = ~apart[w] & ~undone[w];
}

void search(const Word* planes, const Word* joined, unsigned n, unsigned x, unsigned y, Word open, size_t words, Word* apart, Word* undone) {
    (words <= kBlockWords / 2 ? search_in<1> : search_in<2>)(planes, joined, n, x, y, open, apart, undone);
}
