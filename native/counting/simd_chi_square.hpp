// The chi-square statistic of many slices. Part of simd.cpp, within its namespace: compiled once per instruction set.

// Four numbers side by side; the compiler maps them to what the instruction set has. All sums are written out,
// so that every instruction set gives the same bits.
typedef double Four __attribute__((vector_size(32)));
typedef std::int32_t FourInts __attribute__((vector_size(16)));
typedef std::int64_t FourFlags __attribute__((vector_size(32)));

constexpr Four kZero = {0, 0, 0, 0}, kOne = {1, 1, 1, 1};
inline Four where(FourFlags flags, Four yes, Four no) { return flags ? yes : no; }

// sum (c n - r k)^2 / (r k) / n of four slices side by side: the differences are whole numbers and cancel
// without loss. Empty rows, columns and slices weigh nothing.
template <unsigned RX, unsigned RY>
void chi_slices_of(const uint32_t* cells, size_t slices, ChiSum* sum) {
    constexpr size_t size = RX * RY;
    Four high = kZero, low = kZero, occur = kZero;
    uint32_t padded[4 * size];
    for (size_t s = 0; s < slices; s += 4, cells += 4 * size) {
        const uint32_t* p = cells;
        if (slices - s < 4) {  // the last few, with empty ones behind them
            for (size_t c = 0; c < 4 * size; ++c) padded[c] = c < (slices - s) * size ? cells[c] : 0;
            p = padded;
        }
        Four count[RX][RY], r[RX], k[RY];
        for (unsigned i = 0; i < RX; ++i) {
            r[i] = kZero;
            for (unsigned j = 0; j < RY; ++j) {
                const uint32_t* cell = p + i * RY + j;
                const FourInts four = {static_cast<std::int32_t>(cell[0]), static_cast<std::int32_t>(cell[size]),
                                       static_cast<std::int32_t>(cell[2 * size]), static_cast<std::int32_t>(cell[3 * size])};
                count[i][j] = __builtin_convertvector(four, Four);
                r[i] += count[i][j];
                k[j] = i == 0 ? count[i][j] : k[j] + count[i][j];
            }
        }
        Four n = r[0];
        for (unsigned i = 1; i < RX; ++i) n += r[i];
        const FourFlags some = n > kZero;
        occur += where(some, kOne, kZero);
        Four weight[RY];
        for (unsigned j = 0; j < RY; ++j) weight[j] = where(k[j] > kZero, kOne / where(k[j] > kZero, k[j], kOne), kZero);
        Four total = kZero;
        for (unsigned i = 0; i < RX; ++i) {
            Four row = kZero;
            for (unsigned j = 0; j < RY; ++j) {
                const Four difference = count[i][j] * n - r[i] * k[j];
                row += difference * difference * weight[j];
            }
            total += row / where(r[i] > kZero, r[i], kOne);  // an empty row has no differences
        }
        const Four value = total / where(some, n, kOne);
        const Four next = high + value, part = next - high;  // two-sum
        low += (high - (next - part)) + (value - part);
        high = next;
    }
    for (unsigned lane = 0; lane < 4; ++lane) {
        const double next = sum->high + high[lane], part = next - sum->high;
        sum->low += (sum->high - (next - part)) + (high[lane] - part) + low[lane];
        sum->high = next;
        sum->slices += static_cast<size_t>(occur[lane]);
    }
}

void chi_slices(const uint32_t* cells, size_t slices, unsigned rx, unsigned ry, ChiSum* sum) {
    switch (4 * rx + ry) {
        case 10: chi_slices_of<2, 2>(cells, slices, sum); break;
        case 11: chi_slices_of<2, 3>(cells, slices, sum); break;
        case 12: chi_slices_of<2, 4>(cells, slices, sum); break;
        case 14: chi_slices_of<3, 2>(cells, slices, sum); break;
        case 15: chi_slices_of<3, 3>(cells, slices, sum); break;
        case 16: chi_slices_of<3, 4>(cells, slices, sum); break;
        case 18: chi_slices_of<4, 2>(cells, slices, sum); break;
        case 19: chi_slices_of<4, 3>(cells, slices, sum); break;
        default: chi_slices_of<4, 4>(cells, slices, sum); break;
    }
}
