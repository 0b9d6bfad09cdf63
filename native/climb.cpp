#include "climb.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "parallel.hpp"

namespace graphoid {
namespace {

constexpr std::size_t block = 512;                 // rows whose cells are found at a time: 2 KiB
constexpr std::size_t held_doubles = 1u << 25;     // of terms kept from step to step: 256 MiB

// The subsets of `size` positions as bit masks, smaller ones first, those of a size in lexicographic order.
std::vector<unsigned> subsets(std::size_t size) {
    std::vector<unsigned> all;
    for (std::size_t k = 0; k <= size; ++k) {
        std::vector<std::size_t> chosen(k);
        for (std::size_t i = 0; i < k; ++i) chosen[i] = i;
        while (true) {
            unsigned mask = 0;
            for (std::size_t i : chosen) mask |= 1u << i;
            all.push_back(mask);
            std::size_t i = k;
            while (i > 0 && chosen[i - 1] == size - k + i - 1) --i;
            if (i == 0) break;
            ++chosen[i - 1];
            for (std::size_t j = i; j < k; ++j) chosen[j] = chosen[j - 1] + 1;
        }
    }
    return all;
}

// The logarithm of a product of positive numbers. Exponents are added up as whole numbers, and mantissas, below 2 each, are
// multiplied: that can neither overflow nor underflow if `settle` comes at least every 1,000 factors. Four products side by
// side hide the latency of one.
class LogProduct {
public:
    void times(std::size_t i, double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        exponent_ += static_cast<std::int64_t>(bits >> 52) - 1023;
        bits = (bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u;
        std::memcpy(&x, &bits, sizeof bits);
        mantissa_[i % 4] *= x;
    }
    void settle() {
        for (double& m : mantissa_) {
            int e;
            m = std::frexp(m, &e);
            exponent_ += e;
        }
    }
    double log() const {
        double total = 0.0;
        for (double m : mantissa_) total += std::log(m);
        return total + static_cast<double>(exponent_) * 0.693147180559945309417;
    }

private:
    double mantissa_[4] = {1.0, 1.0, 1.0, 1.0};
    std::int64_t exponent_ = 0;
};

template <std::size_t classes>
inline double dot(const double* a, const double* b, std::size_t n) {
    double total = 0.0;
    if constexpr (classes > 0) {
        for (std::size_t y = 0; y < classes; ++y) total += a[y] * b[y];
    } else {
        for (std::size_t y = 0; y < n; ++y) total += a[y] * b[y];
    }
    // A sum that underflowed belongs to a model that is out of the question; its logarithm stays a number.
    return std::max(total, std::numeric_limits<double>::min());
}

template <std::size_t classes>
void multiply(LogProduct& product, const double* shares, const double* factors, const std::uint32_t* at, std::size_t n,
              std::size_t n_classes) {
    const std::size_t c = classes > 0 ? classes : n_classes;
    for (std::size_t i = 0; i < n; ++i) product.times(i, dot<classes>(shares + i * c, factors + at[i] * c, c));
    product.settle();
}

double weighted(const double* shares, const double* factors, const double* weights, const std::uint32_t* at, std::size_t n,
                std::size_t c) {
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) total += weights[i] * std::log(dot<0>(shares + i * c, factors + at[i] * c, c));
    return total;
}

}  // namespace

Climb::Climb(Labeled rows) : rows_(std::move(rows)), room_(held_doubles) {
    const std::size_t c = rows_.n_classes;
    const std::int32_t sign = 1;
    scores_.resize(rows_.n_rows * c);
    shares_.resize(rows_.n_rows * c);
    add(nullptr, &sign, 0);
}

double Climb::start() const {
    double total = own_;
    const std::size_t c = rows_.n_classes;
    const std::vector<double> ones(c, 1.0);
    for (std::size_t i = 0; i < rows_.n_rows; ++i)
        total -= (rows_.weights ? rows_.weights[i] : 1.0) * std::log(dot<0>(&shares_[i * c], ones.data(), c));
    return total;
}

// Shares and the own classes' part from scores, the likeliest class of every row at 1.
void Climb::normalize() {
    const std::size_t c = rows_.n_classes;
    own_ = 0.0;
    for (std::size_t i = 0; i < rows_.n_rows; ++i) {
        double* scores = &scores_[i * c];
        const double most = *std::max_element(scores, scores + c);
        for (std::size_t y = 0; y < c; ++y) {
            scores[y] -= most;
            shares_[i * c + y] = std::exp(scores[y]);
        }
        own_ += (rows_.weights ? rows_.weights[i] : 1.0) * scores[rows_.classes[i]];
    }
}

void Climb::cells(const std::int32_t* face, std::size_t size, std::size_t first, std::size_t n, std::uint32_t* at) const {
    std::fill(at, at + n, 0u);
    for (std::size_t j = 0; j < size; ++j) {
        const std::uint16_t* column = rows_.columns[face[j]] + first;
        const std::uint32_t arity = rows_.sizes[face[j]];
        for (std::size_t i = 0; i < n; ++i) at[i] = at[i] * arity + column[i];
    }
}

Climb::Term Climb::term(const std::int32_t* face, const std::int32_t* signs, std::size_t size) const {
    const std::size_t c = rows_.n_classes;
    std::size_t n_cells = 1;
    for (std::size_t j = 0; j < size; ++j) n_cells *= rows_.sizes[face[j]];
    std::vector<double> counts(n_cells * c);
    std::uint32_t at[block];
    for (std::size_t first = 0; first < rows_.n_rows; first += block) {
        const std::size_t n = std::min(block, rows_.n_rows - first);
        cells(face, size, first, n, at);
        for (std::size_t i = 0; i < n; ++i)
            counts[at[i] * c + rows_.classes[first + i]] += rows_.weights ? rows_.weights[first + i] : 1.0;
    }
    Term out;
    out.table.assign(n_cells * c, 0.0);
    const std::vector<unsigned> parts = subsets(size);
    std::vector<double> margin;
    std::vector<std::uint32_t> into(n_cells);
    for (std::size_t g = 0; g < parts.size(); ++g) {
        if (signs[g] == 0) continue;
        std::size_t n_margin = 1;
        std::fill(into.begin(), into.end(), 0u);
        for (std::size_t j = 0, inner = n_cells; j < size; ++j) {
            const std::uint32_t arity = rows_.sizes[face[j]];
            inner /= arity;
            if ((parts[g] >> j & 1u) == 0) continue;
            for (std::size_t cell = 0; cell < n_cells; ++cell)
                into[cell] = static_cast<std::uint32_t>(into[cell] * arity + cell / inner % arity);
            n_margin *= arity;
        }
        margin.assign(n_margin * c, 0.0);
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t y = 0; y < c; ++y) margin[into[cell] * c + y] += counts[cell * c + y];
        const double prior = rows_.theta / static_cast<double>(n_margin * c);
        for (double& x : margin) x = std::log(x + prior);
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t y = 0; y < c; ++y) out.table[cell * c + y] += signs[g] * margin[into[cell] * c + y];
    }
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
        double* of = &out.table[cell * c];
        const double most = *std::max_element(of, of + c);
        for (std::size_t y = 0; y < c; ++y) {
            of[y] -= most;
            out.own += counts[cell * c + y] * of[y];
        }
    }
    return out;
}

double Climb::log_normalizers(const std::int32_t* face, std::size_t size, const Term& term) const {
    const std::size_t c = rows_.n_classes;
    std::uint32_t at[block];
    LogProduct product;
    double total = 0.0;
    for (std::size_t first = 0; first < rows_.n_rows; first += block) {
        const std::size_t n = std::min(block, rows_.n_rows - first);
        cells(face, size, first, n, at);
        const double *shares = &shares_[first * c], *factors = term.table.data();
        if (rows_.weights != nullptr)
            total += weighted(shares, factors, rows_.weights + first, at, n, c);
        else if (c == 2)
            multiply<2>(product, shares, factors, at, n, c);
        else if (c == 3)
            multiply<3>(product, shares, factors, at, n, c);
        else
            multiply<0>(product, shares, factors, at, n, c);
    }
    return total + product.log();
}

void Climb::with_each(const std::int32_t* faces, const std::int32_t* signs, std::size_t n, std::size_t size, unsigned threads,
                      double* out) {
    const std::size_t n_signs = std::size_t{1} << size;
    if (!terms_.empty() && terms_.begin()->first.face.size() != size) {  // a new stage
        terms_.clear();
        room_ = held_doubles;
    }
    std::vector<Term> fresh(n);
    std::vector<const Term*> known(n, nullptr);
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = {{faces + i * size, faces + (i + 1) * size}, {signs + i * n_signs, signs + (i + 1) * n_signs}};
        const auto found = terms_.find(keys[i]);
        if (found != terms_.end()) known[i] = &found->second;
    }
    in_parallel(n, threads, [&](std::size_t i, unsigned) {
        if (known[i] == nullptr) {
            fresh[i] = term(faces + i * size, signs + i * n_signs, size);
            for (double& x : fresh[i].table) x = std::exp(x);
        }
        const Term& one = known[i] != nullptr ? *known[i] : fresh[i];
        out[i] = own_ + one.own - log_normalizers(faces + i * size, size, one);
        if (known[i] == nullptr && fresh[i].table.size() > held_doubles / n) fresh[i].table = {};  // too large to keep
    });
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t needed = fresh[i].table.size();
        if (known[i] != nullptr || needed == 0 || needed > room_) continue;
        room_ -= needed;
        terms_.emplace(std::move(keys[i]), std::move(fresh[i]));
    }
}

void Climb::add(const std::int32_t* face, const std::int32_t* signs, std::size_t size) {
    const std::size_t c = rows_.n_classes;
    const Term one = term(face, signs, size);
    std::uint32_t at[block];
    for (std::size_t first = 0; first < rows_.n_rows; first += block) {
        const std::size_t n = std::min(block, rows_.n_rows - first);
        cells(face, size, first, n, at);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t y = 0; y < c; ++y) scores_[(first + i) * c + y] += one.table[at[i] * c + y];
    }
    normalize();
}

}  // namespace graphoid
