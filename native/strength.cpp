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

Strength strength(const uint32_t* cells, size_t slices, uint32_t rx, uint32_t ry, const Logarithms& log, std::vector<double>& columns) {
    double nats = 0, total = 0, free = 0, same = 0, other = 0;
    for (size_t s = 0; s < slices; ++s, cells += size_t{rx} * ry) {
        double n = 0, inside = 0, rows = 0, occur = 0;
        columns.assign(ry, 0);
        for (uint32_t i = 0; i < rx; ++i) {
            double row = 0;
            for (uint32_t j = 0; j < ry; ++j) {
                const double c = cells[i * ry + j];
                row += c;
                columns[j] += c;
                inside += log(c);
            }
            inside -= log(row);
            n += row;
            rows += row > 0;
        }
        if (n == 0) continue;
        for (const double c : columns) inside -= log(c), occur += c > 0;
        nats += inside + log(n);
        total += n;
        free += (rows - 1) * (occur - 1);
        if (rx == 2 && ry == 2) {
            same += static_cast<double>(cells[0]) * cells[3] / n;
            other += static_cast<double>(cells[1]) * cells[2] / n;
        }
    }
    const double per_bit = (total > 0 ? total : 1) * std::log(2.0);
    const bool defined = same > 0 && other > 0;
    return {nats / per_bit, free / (2 * per_bit), defined ? std::log(same) - std::log(other) : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

std::vector<Strength> strengths(Resamples& data, const Crossing& q) {
    static const Logarithms log;
    const size_t size = data.table_size(q), slices = data.n_slices(q.given);
    std::vector<uint32_t> table(size, 0);
    std::vector<double> columns;
    std::vector<Strength> out;
    const Listed listed = data.narrow(q) ? data.count_all(q, 0) : Listed{};
    for (size_t r = 0; r < data.n; ++r) {
        if (data.narrow(q))
            for (size_t k = 0; k < listed.cells.size(); ++k) table[listed.cells[k]] = listed(r, k);
        else
            data.count_one(q, r, table.data());
        out.push_back(strength(table.data(), slices, data.arity(q.x), data.arity(q.y), log, columns));
    }
    return out;
}

}  // namespace graphoid
