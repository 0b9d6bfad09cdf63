// Conditional likelihoods of a class along a climb through structures: what the structure so far says about every row is
// kept, and a hyperedge multiplies it by one term.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/faces.hpp"

namespace graphoid {

class Climb {
public:
    explicit Climb(Labeled rows);

    // The log-likelihood of the class alone.
    double start() const;

    // The log-likelihood of the structure so far with each of `n` hyperedges of `size` attributes. signs[i][g] is how often
    // the log submodel of subset g (of no attribute first, then of one, ...) enters the term of hyperedge i.
    void with_each(const std::int32_t* faces, const std::int32_t* signs, std::size_t n, std::size_t size, unsigned threads,
                   double* out);

    // Makes a hyperedge part of the structure.
    void add(const std::int32_t* face, const std::int32_t* signs, std::size_t size);

private:
    // What a hyperedge adds to the log score of each class in each of its cells, the largest of a cell taken off, or the
    // same as factors; and the sum of it over the rows' own classes.
    struct Term {
        std::vector<double> table;
        double own = 0.0;
        std::vector<std::uint16_t> at;  // the cell of every row, where there is room to keep it

        std::size_t n_doubles() const { return table.size() + at.size() / 4; }  // in doubles
    };

    Term term(const std::int32_t* face, const std::int32_t* signs, std::size_t size, bool keep_cells) const;
    double log_normalizers(const std::int32_t* face, std::size_t size, const Term& term) const;
    void normalize();

    Labeled rows_;
    std::vector<double> scores_;   // logarithms, a line of classes for every row
    std::vector<double> shares_;   // the same as probabilities relative to the likeliest class
    double own_ = 0.0;             // log-likelihood before normalizing, the likeliest class taken off
    struct Key {
        std::vector<std::int32_t> face, signs;
        bool operator<(const Key& other) const { return face != other.face ? face < other.face : signs < other.signs; }
    };
    std::map<Key, Term> terms_;    // of hyperedges tried before, as far as there is room
    std::size_t free_;
};

}  // namespace graphoid
