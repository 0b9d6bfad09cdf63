#include "counting/resamples.hpp"

#include <algorithm>

#include "counting/streams.hpp"

namespace graphoid {

namespace {

constexpr size_t kPad = 16;                      // lanes are a multiple of this

// out[r * cells + cell] += counted[cell * lanes + r], for n resamples.
template <class Count>
void turn(const uint16_t* counted, size_t lanes, size_t cells, size_t n, Count* out) {
    constexpr size_t tile = 16;
    for (size_t c = 0; c < cells; c += tile)
        for (size_t r = 0; r < n; ++r)
            for (size_t k = c; k < std::min(cells, c + tile); ++k) out[r * cells + k] = static_cast<Count>(out[r * cells + k] + counted[k * lanes + r]);
}

}  // namespace

template <class Count>
bool draw_rows(std::uint64_t key, size_t n, const std::int32_t* row_of, Count* out) {
    bool fits = true;
    for (size_t i = 0; i < n; i += 2) {
        const std::uint64_t word = stream_word(key, i / 2);
        fits &= ++out[row_of[((word & 0xffffffffu) * n) >> 32]] != 0;
        if (i + 1 < n) fits &= ++out[row_of[((word >> 32) * n) >> 32]] != 0;
    }
    return fits;
}

template bool draw_rows(std::uint64_t, size_t, const std::int32_t*, std::uint8_t*);
template bool draw_rows(std::uint64_t, size_t, const std::int32_t*, uint32_t*);

Resamples::Resamples(size_t n_rows, std::vector<Column> columns, const uint8_t* weights, size_t resamples, const Simd& simd)
    : n(resamples), data_(n_rows, std::move(columns), nullptr, 1.0, &simd), by_resample_(weights),
      lanes_((resamples + kPad - 1) / kPad * kPad), by_row_(aligned<uint8_t>(std::max<size_t>(1, n_rows * lanes_))) {
    constexpr size_t tile = 64;  // rows and resamples that are turned together stay in the first cache
    std::fill_n(by_row_.get(), n_rows * lanes_, uint8_t{0});
    for (size_t i = 0; i < n_rows; i += tile)
        for (size_t r = 0; r < n; r += tile)
            for (size_t s = r; s < std::min(n, r + tile); ++s)
                for (size_t k = i; k < std::min(n_rows, i + tile); ++k) by_row_[k * lanes_ + s] = weights[s * n_rows + k];
    // A block ends before the weights of any resample in it could pass what two bytes hold.
    bounds_.push_back(0);
    std::vector<uint32_t> sums(n, 0);
    for (size_t i = 0; i < n_rows; ++i) {
        const uint8_t* row = by_row_.get() + i * lanes_;
        uint32_t largest = 0;
        for (size_t r = 0; r < n; ++r) largest = std::max(largest, sums[r] += row[r]);
        if (largest <= 65535) continue;
        bounds_.push_back(i);
        sums.assign(row, row + n);
    }
    bounds_.push_back(n_rows);
}

void Listed::read(size_t resample, uint32_t* out) const {
    const size_t at = (resample - first) * cells;
    for (size_t k = 0; k < cells; ++k) out[k] = low[at + k];
    if (!high.empty())
        for (size_t k = 0; k < cells; ++k) out[k] |= static_cast<uint32_t>(high[at + k]) << 16;
}

template <class Done>
void Resamples::count_lanes(const uint16_t* cell, size_t cells, size_t first, Done done) {
    first = first / kPad * kPad;
    const size_t lanes = lanes_ - first;
    if (capacity_ < cells * lanes) counted_ = aligned<uint16_t>(capacity_ = cells * lanes);
    for (size_t b = 0; b + 1 < bounds_.size(); ++b) {
        std::fill_n(counted_.get(), cells * lanes, uint16_t{0});
        data_.simd.add_lanes(by_row_.get() + bounds_[b] * lanes_ + first, lanes_, cell + bounds_[b], bounds_[b + 1] - bounds_[b], lanes, counted_.get());
        done(first, lanes);
    }
}

Listed Resamples::count_all(const Cells& cells, size_t first) {
    const size_t size = cells.n();
    Listed out;
    out.first = first;
    out.cells = size;
    out.low.resize((n - first) * size);
    if (shared(cells) && bounds_.size() == 2) {
        const auto keep = [&](size_t start, size_t lanes) { turn(counted_.get() + (first - start), lanes, size, n - first, out.low.data()); };
        count_lanes(cells.of_rows16().data(), size, first, keep);
        return out;
    }
    std::vector<uint32_t> counts((n - first) * size, 0);
    if (shared(cells)) {
        const auto add = [&](size_t start, size_t lanes) { turn(counted_.get() + (first - start), lanes, size, n - first, counts.data()); };
        count_lanes(cells.of_rows16().data(), size, first, add);
    } else {
        for (size_t r = first; r < n; ++r) count_one(cells, r, counts.data() + (r - first) * size);
    }
    out.high.resize(counts.size());
    for (size_t k = 0; k < counts.size(); ++k) {
        out.low[k] = static_cast<uint16_t>(counts[k]);
        out.high[k] = static_cast<uint16_t>(counts[k] >> 16);
    }
    return out;
}

namespace {

// Rows next to each other are often alike: four histograms keep an increment from waiting for the one before.
template <class Code>
void weigh(const Code* code, const uint8_t* weight, size_t rows, size_t size, std::vector<uint32_t>& turns, uint32_t* out) {
    turns.assign(4 * size, 0);
    uint32_t *h0 = turns.data(), *h1 = h0 + size, *h2 = h1 + size, *h3 = h2 + size;
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        h0[code[i]] += weight[i];
        h1[code[i + 1]] += weight[i + 1];
        h2[code[i + 2]] += weight[i + 2];
        h3[code[i + 3]] += weight[i + 3];
    }
    for (; i < rows; ++i) h0[code[i]] += weight[i];
    for (size_t c = 0; c < size; ++c) out[c] = h0[c] + h1[c] + h2[c] + h3[c];
}

}  // namespace

void Resamples::count_one(const Cells& cells, size_t resample, uint32_t* out) {
    const uint8_t* weight = by_resample_ + resample * data_.n_rows;
    if (cells.of_rows32().empty())
        weigh(cells.of_rows16().data(), weight, data_.n_rows, cells.n(), turns_, out);
    else
        weigh(cells.of_rows32().data(), weight, data_.n_rows, cells.n(), turns_, out);
}

void Resamples::count_pairs(const std::vector<int>& variables, const std::vector<Pair>& pairs, std::vector<std::vector<uint32_t>>& out) {
    std::vector<size_t> stride(variables.size());
    size_t size = 1;
    code_.assign(data_.n_rows, 0);
    for (const int v : variables) data_.mix(code_.data(), v, 0, data_.n_rows);
    for (size_t k = variables.size(); k-- > 0;) stride[k] = size, size *= arity(variables[k]);
    const auto stride_of = [&](int v) { return stride[static_cast<size_t>(std::find(variables.begin(), variables.end(), v) - variables.begin())]; };
    out.resize(pairs.size());
    for (size_t p = 0; p < pairs.size(); ++p) out[p].assign(n * arity(pairs[p].first) * arity(pairs[p].second), 0);
    count_lanes(code_.data(), size, 0, [&](size_t, size_t lanes) {
        for (size_t p = 0; p < pairs.size(); ++p) {
            const uint32_t rx = arity(pairs[p].first), ry = arity(pairs[p].second);
            const size_t sx = stride_of(pairs[p].first), sy = stride_of(pairs[p].second);
            margin_.assign(size_t{rx} * ry * lanes, 0);
            for (size_t c = 0; c < size; ++c) {
                uint16_t* to = margin_.data() + (c / sx % rx * ry + c / sy % ry) * lanes;
                const uint16_t* from = counted_.get() + c * lanes;
                for (size_t k = 0; k < lanes; ++k) to[k] = static_cast<uint16_t>(to[k] + from[k]);
            }
            turn(margin_.data(), lanes, size_t{rx} * ry, n, out[p].data());
        }
    });
}

}  // namespace graphoid
