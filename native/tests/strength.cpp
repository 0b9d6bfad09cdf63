#include "tests/strength.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "counting/limits.hpp"

namespace graphoid {

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

// A cell that occurs: which slice, which states, and where its count is.
struct Place {
    uint32_t slice, x, y, at;
    bool operator<(const Place& other) const { return std::tie(slice, x, y) < std::tie(other.slice, other.x, other.y); }
};

Strength strength(const std::vector<uint32_t>& counts, const std::vector<Place>& places, bool binary, const Logarithms& log,
                  std::vector<double>& rows, std::vector<double>& columns) {
    double nats = 0, total = 0, free = 0, same = 0, other = 0;
    for (size_t k = 0; k < places.size();) {
        const uint32_t slice = places[k].slice;
        double n = 0, inside = 0, cell[4] = {0, 0, 0, 0}, rows_there = 0, columns_there = 0;
        std::fill(rows.begin(), rows.end(), 0.0);
        std::fill(columns.begin(), columns.end(), 0.0);
        for (; k < places.size() && places[k].slice == slice; ++k) {
            const double count = counts[places[k].at];
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

// Cells of crossings; many have all variables but one in common, whose cells are a start and kept.
class SharedCells {
public:
    SharedCells(const Dataset& data, const std::vector<Crossing>& crossings) : data_(data) {
        for (const Crossing& q : crossings)
            for (const int v : {q.x, q.y}) ++times_[without(q, v)];
    }

    Cells of(const Crossing& q) {
        std::vector<int> start = without(q, q.y);
        if (std::vector<int> other = without(q, q.x); times_[other] > times_[start]) start = std::move(other);
        if (times_[start] < 2) return Cells(data_, q.variables());
        if (bytes_ > kMostHeld) held_.clear(), bytes_ = 0;
        const auto [base, fresh] = held_.try_emplace(start, data_, start);
        if (fresh) bytes_ += base->second.bytes();
        return Cells(data_, q.variables(), &base->second);
    }

private:
    static constexpr size_t kMostHeld = size_t{8} << 20;

    static std::vector<int> without(const Crossing& q, int v) {
        std::vector<int> rest = q.variables();
        rest.erase(std::find(rest.begin(), rest.end(), v));
        return rest;
    }

    const Dataset& data_;
    std::map<std::vector<int>, size_t> times_;
    std::map<std::vector<int>, Cells> held_;
    size_t bytes_ = 0;
};

}  // namespace

std::vector<Strength> strengths(Resamples& data, const std::vector<Crossing>& crossings) {
    static const Logarithms log;
    SharedCells shared(data.data(), crossings);
    std::vector<Strength> out;
    std::vector<Place> places;
    std::vector<uint32_t> counts;
    for (const Crossing& q : crossings) {
        check_time();
        const uint32_t rx = data.arity(q.x), ry = data.arity(q.y);
        Cells cells = shared.of(q);
        const Listed table = data.count_all(cells, 0);
        places.clear();
        for (const uint32_t cell : cells.cross(q).cell)
            places.push_back({cell / (rx * ry), cell / ry % rx, cell % ry, static_cast<uint32_t>(places.size())});
        std::sort(places.begin(), places.end());
        std::vector<double> rows(rx), columns(ry);
        counts.resize(cells.n());
        for (size_t r = 0; r < data.n; ++r) {
            table.read(r, counts.data());
            out.push_back(strength(counts, places, rx == 2 && ry == 2, log, rows, columns));
        }
    }
    return out;
}

}  // namespace graphoid
