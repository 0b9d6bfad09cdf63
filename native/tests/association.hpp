// What the slices of a table have in common: the statistic of Cochran, Mantel and Haenszel.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/sum.hpp"

namespace graphoid {

class Association {
public:
    void begin(std::uint32_t rx, std::uint32_t ry);
    // A slice of n rows by its margins: `rows` and `columns` list the states that occur, in ascending order,
    // and row[i], column[j] say how often. Cells are added one by one, before or after.
    void margins(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns, const double* row,
                 const double* column, double n);
    // A cell of that slice: its count less what independence expects.
    void cell(std::uint32_t x, std::uint32_t y, double difference) {
        if (x < kx_ && y < ky_) difference_[x * ky_ + y].add(difference);
    }
    // The statistic, and the degrees of freedom: the rank of the covariance matrix.
    double end(double* dof);

private:
    Sum<double>& covariance(std::size_t a, std::size_t b) { return covariance_[a * (a + 1) / 2 + b]; }  // a >= b

    std::size_t kx_ = 0, ky_ = 0;          // states less the last, which follows from the others
    std::vector<Sum<double>> difference_;  // summed over slices, by (x, y)
    std::vector<Sum<double>> covariance_;  // of the differences, lower triangle
    std::vector<double> matrix_, left_;    // for solving
};

}  // namespace graphoid
