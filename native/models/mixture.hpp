// Class probabilities averaged over structures that share most of their hyperedges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphoid {

// Operation k, in order: with term t = terms[k] (-1 for none) either the structure so far, with t, enters the average with
// weights[k], or (advances[k]) t becomes part of it. Term t looks at attributes members[first_member[t]] ... and has its
// table of log scores, a line of classes a cell, at tables[t].
struct Mixture {
    std::size_t n_classes;
    std::vector<std::uint32_t> sizes;  // of the tables' axes, an entry for every attribute
    std::vector<double> start;         // log scores before the first operation
    std::vector<std::int32_t> terms;
    std::vector<double> weights;
    std::vector<std::uint8_t> advances;
    std::vector<std::int32_t> first_member, members;
    std::vector<const double*> tables;
    std::vector<std::vector<double>> factors;  // of the tables, the largest of a cell 1; made by prepare()

    void prepare();

    // A line of probabilities for every row into `out`.
    void predict(const std::vector<const std::uint16_t*>& columns, std::size_t n_rows, unsigned threads, double* out) const;
};

}  // namespace graphoid
