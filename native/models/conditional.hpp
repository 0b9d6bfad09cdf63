// The conditional likelihood of classes whose scores are sums of potentials, counted ones with a scale and weights on them; with
// Gaussian priors, its derivatives and its minimum.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/quasi_newton.hpp"

namespace graphoid {

// The arrays belong to someone else. Scales (of the class alone, then of every face) and weights (a line of classes for every
// cell) are one array, in this order.
struct Potentials {
    std::size_t n_rows, n_faces, n_cells, n_classes;
    const std::int32_t* at;              // a line for every row: its cell in the table of every face
    const std::uint16_t* classes;
    const double* row_weights;           // null where all are 1
    const double *start, *start_own;     // log scores of the classes alone; what a row adds to that of its own class
    const double *counted, *own;         // the same for every cell
    const std::int32_t* face;            // of every cell
    const double* relevance;             // of every face
    double scale_precision, weight_precision;

    std::size_t size() const { return 1 + n_faces + n_cells * n_classes; }

    // Returns the negative log posterior and writes its derivatives.
    double loss(const double* scales, double* gradient) const;

    // From the means of the priors to the scales and weights of the highest posterior.
    std::vector<double> minimum(const Limits& limits) const;
};

}  // namespace graphoid
