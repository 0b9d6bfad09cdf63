#include "models/climb.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "counting/parallel.hpp"

namespace graphoid {
namespace {

constexpr std::size_t held_doubles = 1u << 25;  // of terms kept from step to step: 256 MiB

constexpr std::size_t most_kept = 1u << 16;      // cells whose numbers fit into two bytes

// The logarithm of a product of positive numbers below 2^200. Exponents are added up as whole numbers, and mantissas, below 2
// each, are multiplied: that can neither overflow nor underflow if `settle` comes at least every 1,000 factors.
class LogProduct {
public:
    void times(double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        exponent_ += static_cast<std::int64_t>(bits >> 52) - 1023;
        bits = (bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u;
        std::memcpy(&x, &bits, sizeof bits);
        mantissa_ *= x;
    }
    // Four at once, unless their product is too small for its exponent.
    void times(double a, double b, double c, double d) {
        const double x = (a * b) * (c * d);
        if (x >= 1e-300) {
            times(x);
        } else {
            times(a), times(b), times(c), times(d);
        }
    }
    void settle() {
        int e;
        mantissa_ = std::frexp(mantissa_, &e);
        exponent_ += e;
    }
    double log() const { return std::log(mantissa_) + static_cast<double>(exponent_) * 0.693147180559945309417; }

private:
    double mantissa_ = 1.0;
    std::int64_t exponent_ = 0;
};

template <std::size_t classes>
inline double total_share(const double* a, const double* b, std::size_t n) {
    double total = a[0] * b[0];
    for (std::size_t y = 1; y < (classes > 0 ? classes : n); ++y) total += a[y] * b[y];
    // A sum that underflowed belongs to a model that is out of the question; its logarithm stays a number.
    return std::max(total, std::numeric_limits<double>::min());
}

template <std::size_t classes>
void multiply(LogProduct& product, const double* shares, const double* factors, const std::uint32_t* at, std::size_t n,
              std::size_t n_classes) {
    const std::size_t c = classes > 0 ? classes : n_classes;
    const auto one = [&](std::size_t i) { return total_share<classes>(shares + i * c, factors + at[i] * c, c); };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) product.times(one(i), one(i + 1), one(i + 2), one(i + 3));
    for (; i < n; ++i) product.times(one(i));
    product.settle();
}

double weighted(const double* shares, const double* factors, const double* weights, const std::uint32_t* at, std::size_t n,
                std::size_t c) {
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) total += weights[i] * std::log(total_share<0>(shares + i * c, factors + at[i] * c, c));
    return total;
}

}  // namespace

Climb::Climb(Labeled rows) : rows_(std::move(rows)), free_(held_doubles) {
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
        total -= rows_.weight(i) * std::log(total_share<0>(&shares_[i * c], ones.data(), c));
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
        own_ += rows_.weight(i) * scores[rows_.classes[i]];
    }
}

Climb::Term Climb::term(const std::int32_t* face, const std::int32_t* signs, std::size_t size, bool keep_cells) const {
    const std::size_t c = rows_.n_classes, n_cells = rows_.n_cells(face, size);
    Term out;
    if (keep_cells && n_cells <= most_kept) out.at.resize(rows_.n_rows);
    const std::vector<double> counts = rows_.counts(face, size, out.at.empty() ? nullptr : out.at.data());
    std::vector<std::uint32_t> sizes(size), into;
    for (std::size_t j = 0; j < size; ++j) sizes[j] = rows_.sizes[face[j]];
    out.table.assign(n_cells * c, 0.0);
    const std::vector<unsigned> parts = subsets(size);
    std::vector<double> margin;
    for (std::size_t g = 0; g < parts.size(); ++g) {
        if (signs[g] == 0) continue;
        margin.assign(project(sizes, parts[g], into) * c, 0.0);
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t y = 0; y < c; ++y) margin[into[cell] * c + y] += counts[cell * c + y];
        const double prior = rows_.theta / static_cast<double>(margin.size());
        for (double& x : margin) x = signs[g] * std::log(x + prior);
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t y = 0; y < c; ++y) out.table[cell * c + y] += margin[into[cell] * c + y];
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
        if (term.at.empty())
            rows_.cells(face, size, first, n, at);
        else
            std::copy_n(&term.at[first], n, at);
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
        free_ = held_doubles;
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
            fresh[i] = term(faces + i * size, signs + i * n_signs, size, rows_.n_rows / 4 <= held_doubles / n);
            for (double& x : fresh[i].table) x = std::exp(x);
        }
        const Term& one = known[i] != nullptr ? *known[i] : fresh[i];
        out[i] = own_ + one.own - log_normalizers(faces + i * size, size, one);
        if (known[i] == nullptr && fresh[i].n_doubles() > held_doubles / n) fresh[i] = {};  // too large to keep
    });
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t needed = fresh[i].n_doubles();
        if (known[i] != nullptr || needed == 0 || needed > free_) continue;
        free_ -= needed;
        terms_.emplace(std::move(keys[i]), std::move(fresh[i]));
    }
}

void Climb::add(const std::int32_t* face, const std::int32_t* signs, std::size_t size) {
    const std::size_t c = rows_.n_classes;
    const Term one = term(face, signs, size, false);
    std::uint32_t at[block];
    for (std::size_t first = 0; first < rows_.n_rows; first += block) {
        const std::size_t n = std::min(block, rows_.n_rows - first);
        rows_.cells(face, size, first, n, at);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t y = 0; y < c; ++y) scores_[(first + i) * c + y] += one.table[at[i] * c + y];
    }
    normalize();
}

}  // namespace graphoid
