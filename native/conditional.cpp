#include "conditional.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace graphoid {
namespace {

// `classes` is 0 where their number is not fixed.
template <std::size_t classes>
double summed(const LookUps& rows, const double* start, const double* tables, const double* scales, double* by_start,
              double* by_table, double* by_scale) {
    const std::size_t c = classes > 0 ? classes : rows.n_classes;
    std::vector<double> room(c);
    double fixed[classes > 0 ? classes : 1];  // stays in registers, where the number is known
    double* scores = classes > 0 ? fixed : room.data();
    double total = 0.0;
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const std::int32_t* at = rows.at + i * rows.n_faces;
        const double* own = rows.own + i * rows.n_scales;
        const std::size_t seen = rows.classes[i];
        for (std::size_t y = 0; y < c; ++y) scores[y] = start[y];
        for (std::size_t f = 0; f < rows.n_faces; ++f) {
            const double* line = tables + static_cast<std::size_t>(at[f]) * c;
            for (std::size_t y = 0; y < c; ++y) scores[y] += line[y];
        }
        double more = 0.0;
        for (std::size_t s = 0; s < rows.n_scales; ++s) more += own[s] * scales[s];
        scores[seen] += more;

        const double most = *std::max_element(scores, scores + c), mine = scores[seen] - most;
        double sum = 0.0;
        for (std::size_t y = 0; y < c; ++y) sum += scores[y] = scores[y] == most ? 1.0 : std::exp(scores[y] - most);
        const double weight = rows.weights != nullptr ? rows.weights[i] : 1.0;
        total += weight * (std::log(sum) - mine);

        for (std::size_t y = 0; y < c; ++y) scores[y] *= weight / sum;  // from here on the residuals
        scores[seen] -= weight;
        for (std::size_t y = 0; y < c; ++y) by_start[y] += scores[y];
        for (std::size_t f = 0; f < rows.n_faces; ++f) {
            double* line = by_table + static_cast<std::size_t>(at[f]) * c;
            for (std::size_t y = 0; y < c; ++y) line[y] += scores[y];
        }
        for (std::size_t s = 0; s < rows.n_scales; ++s) by_scale[s] += own[s] * scores[seen];
    }
    return total;
}

}  // namespace

double LookUps::loss(const double* start, const double* tables, const double* scales, double* by_start, double* by_table,
                     double* by_scale) const {
    const auto sum = n_classes == 2 ? summed<2> : n_classes == 3 ? summed<3> : summed<0>;
    return sum(*this, start, tables, scales, by_start, by_table, by_scale);
}

}  // namespace graphoid
