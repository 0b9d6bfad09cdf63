#include "models/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "counting/parallel.hpp"

namespace graphoid {
namespace {

constexpr std::size_t block = 256;  // rows taken through all operations at a time: their scores stay in the nearest cache

void relative_to_likeliest(const double* scores, std::size_t n, std::size_t c, double* shares) {
    for (std::size_t i = 0; i < n; ++i, scores += c, shares += c) {
        const double most = *std::max_element(scores, scores + c);
        for (std::size_t y = 0; y < c; ++y) shares[y] = std::exp(scores[y] - most);
    }
}

// The structure so far, times a factor a cell, as probabilities into the average; classes is 0 where it is not fixed.
template <std::size_t classes>
void enter(const double* shares, const double* factors, const std::uint32_t* at, std::size_t n, std::size_t n_classes,
           double weight, double* out) {
    const std::size_t c = classes > 0 ? classes : n_classes;
    for (std::size_t i = 0; i < n; ++i, shares += c, out += c) {
        const double* f = factors + at[i] * c;
        double total = 0.0;
        for (std::size_t y = 0; y < c; ++y) total += shares[y] * f[y];
        const double scale = weight / std::max(total, std::numeric_limits<double>::min());
        for (std::size_t y = 0; y < c; ++y) out[y] += scale * (shares[y] * f[y]);
    }
}

}  // namespace

void Mixture::prepare() {
    factors.assign(tables.size(), {});
    for (std::size_t k = 0; k < terms.size(); ++k) {
        if (terms[k] < 0 || advances[k]) continue;
        const auto t = static_cast<std::size_t>(terms[k]);
        if (!factors[t].empty()) continue;
        std::size_t cells = 1;
        for (auto j = first_member[t]; j < first_member[t + 1]; ++j) cells *= sizes[members[j]];
        factors[t].resize(cells * n_classes);
        relative_to_likeliest(tables[t], cells, n_classes, factors[t].data());
    }
}

void Mixture::predict(const std::vector<const std::uint16_t*>& columns, std::size_t n_rows, unsigned threads, double* out) const {
    const std::size_t c = n_classes;
    const std::vector<double> ones(c, 1.0);
    in_parallel((n_rows + block - 1) / block, threads, [&](std::size_t b, unsigned) {
        const std::size_t first = b * block, n = std::min(block, n_rows - first);
        std::vector<double> scores(n * c), shares(n * c);
        std::vector<std::uint32_t> at(n);
        double* to = out + first * c;
        std::fill(to, to + n * c, 0.0);
        for (std::size_t i = 0; i < n; ++i) std::copy(start.begin(), start.end(), scores.begin() + i * c);
        bool stale = true;
        for (std::size_t k = 0; k < terms.size(); ++k) {
            std::fill(at.begin(), at.end(), 0u);
            const std::int32_t t = terms[k];
            if (t >= 0)
                for (auto j = first_member[t]; j < first_member[t + 1]; ++j) {
                    const std::uint16_t* column = columns[members[j]] + first;
                    const std::uint32_t size = sizes[members[j]];
                    for (std::size_t i = 0; i < n; ++i) at[i] = at[i] * size + column[i];
                }
            if (advances[k]) {
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t y = 0; y < c; ++y) scores[i * c + y] += tables[t][at[i] * c + y];
                stale = true;
                continue;
            }
            if (stale) relative_to_likeliest(scores.data(), n, c, shares.data());
            stale = false;
            const double* f = t < 0 ? ones.data() : factors[t].data();
            if (c == 2)
                enter<2>(shares.data(), f, at.data(), n, c, weights[k], to);
            else
                enter<0>(shares.data(), f, at.data(), n, c, weights[k], to);
        }
    });
}

}  // namespace graphoid
