// The conditional likelihood of classes whose scores are sums of table lines, with its derivatives.
#pragma once
#include <cstddef>
#include <cstdint>

namespace graphoid {

// Row i looks up the lines at[i * n_faces], ... of the tables; the score of its own class gets own[i] . scales besides. The
// arrays belong to someone else. Rows without weights count once.
struct LookUps {
    std::size_t n_rows, n_faces, n_scales;
    const std::int32_t* at;
    const double* own;
    const std::uint16_t* classes;
    std::size_t n_classes;
    const double* weights;

    // Returns the sum over rows of -log P(class), and adds its derivatives by `start`, the scores of classes before any
    // line is looked up, by the lines of `tables` and by `scales` to the last three arrays.
    double loss(const double* start, const double* tables, const double* scales, double* by_start, double* by_table,
                double* by_scale) const;
};

}  // namespace graphoid
