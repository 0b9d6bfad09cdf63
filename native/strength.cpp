#include "strength.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphoid {

using std::size_t;
using std::uint32_t;

namespace {

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

// Whole numbers are mostly small: their logarithms are taken once.
class Logarithms {
public:
    Logarithms() : table_(4096) {
        for (size_t i = 0; i < table_.size(); ++i) table_[i] = x_log_x(static_cast<double>(i));
    }
    double operator()(double x) const { return x < static_cast<double>(table_.size()) ? table_[static_cast<size_t>(x)] : x_log_x(x); }

private:
    std::vector<double> table_;
};

// A cell that occurs: which slice, which states.
struct Place {
    uint32_t slice, x, y;
};

Strength strength(const Listed& table, const std::vector<Place>& places, size_t resample, bool binary, const Logarithms& log,
                  std::vector<double>& rows, std::vector<double>& columns) {
    double nats = 0, total = 0, free = 0, same = 0, other = 0;
    for (size_t k = 0; k < places.size();) {
        const uint32_t slice = places[k].slice;
        double n = 0, inside = 0, cell[4] = {0, 0, 0, 0}, rows_there = 0, columns_there = 0;
        std::fill(rows.begin(), rows.end(), 0.0);
        std::fill(columns.begin(), columns.end(), 0.0);
        for (; k < places.size() && places[k].slice == slice; ++k) {
            const double count = table(resample, k);
            rows[places[k].x] += count;
            columns[places[k].y] += count;
            inside += log(count);
            n += count;
            if (binary) cell[2 * places[k].x + places[k].y] = count;
        }
        if (n == 0) continue;
        for (const double r : rows) inside -= log(r), rows_there += r > 0;
        for (const double c : columns) inside -= log(c), columns_there += c > 0;
        nats += inside + log(n);
        total += n;
        free += (rows_there - 1) * (columns_there - 1);
        same += cell[0] * cell[3] / n;
        other += cell[1] * cell[2] / n;
    }
    const double per_bit = (total > 0 ? total : 1) * std::log(2.0);
    const bool defined = same > 0 && other > 0;
    return {nats / per_bit, free / (2 * per_bit), defined ? std::log(same) - std::log(other) : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

std::vector<Strength> strengths(Resamples& data, const Crossing& q) {
    static const Logarithms log;
    const uint32_t rx = data.arity(q.x), ry = data.arity(q.y);
    const Listed table = data.count_all(q, 0);
    std::vector<Place> places;
    for (const uint32_t cell : table.cells) places.push_back({cell / (rx * ry), cell / ry % rx, cell % ry});
    std::vector<double> rows(rx), columns(ry);
    std::vector<Strength> out;
    for (size_t r = 0; r < data.n; ++r) out.push_back(strength(table, places, r, rx == 2 && ry == 2, log, rows, columns));
    return out;
}

}  // namespace graphoid
