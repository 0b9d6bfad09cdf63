#include "tests/contexts.hpp"

#include <algorithm>

#include "counting/slices.hpp"

namespace graphoid {
namespace {

// Tables up to this many cells are written out, slice after slice; of larger ones the cells that occur are listed.
constexpr size_t kWrittenOut = 4096;

// Rows in the order of their slices; rows of slice s are order[start[s]] to order[start[s + 1] - 1].
struct Grouped {
    std::vector<uint32_t> order, start;
};

Grouped grouped(const std::vector<uint32_t>& slice_of, size_t n_slices) {
    Grouped out{std::vector<uint32_t>(slice_of.size()), std::vector<uint32_t>(n_slices + 1, 0)};
    for (const uint32_t s : slice_of) ++out.start[s + 1];
    for (size_t s = 0; s < n_slices; ++s) out.start[s + 1] += out.start[s];
    std::vector<uint32_t> next(out.start.begin(), out.start.end() - 1);
    for (size_t row = 0; row < slice_of.size(); ++row) out.order[next[slice_of[row]]++] = static_cast<uint32_t>(row);
    return out;
}

// The tables of X and Y among some rows, one after the other.
class Tables {
public:
    Tables(const Dataset& data, int x, int y) : data_(data), x_(data.columns[x]), y_(data.columns[y]) {
        const size_t cells = size_t{x_.arity} * y_.arity;
        if (cells <= kWrittenOut) units_.assign(cells, 0), table_.assign(cells, 0);
    }

    void judge(Judge& judge, const uint32_t* row, const uint32_t* end) {
        if (!units_.empty()) {
            for (; row != end; ++row) add_units(units_[cell(*row)], data_.units[*row]);
            for (size_t c = 0; c < units_.size(); ++c) table_[c] = weighed(units_[c]);
            std::fill(units_.begin(), units_.end(), 0);
            judge.slice(table_.data());
            return;
        }
        std::vector<uint32_t> rows(row, end);
        std::sort(rows.begin(), rows.end(), [this](uint32_t a, uint32_t b) { return cell(a) < cell(b); });
        std::vector<Cell> listed;
        for (size_t i = 0, next = 0; i < rows.size(); i = next) {
            std::int64_t units = 0;
            for (next = i; next < rows.size() && cell(rows[next]) == cell(rows[i]); ++next) add_units(units, data_.units[rows[next]]);
            listed.push_back({x_[rows[i]], y_[rows[i]], weighed(units)});
        }
        judge.slice(listed);
    }

private:
    size_t cell(uint32_t row) const { return size_t{x_[row]} * y_.arity + y_[row]; }
    double weighed(std::int64_t units) const { return static_cast<double>(units) * data_.unit; }

    const Dataset& data_;
    const Column &x_, &y_;
    std::vector<std::int64_t> units_;
    std::vector<double> table_;
};

}  // namespace

ContextAnswers judge_contexts(const Dataset& data, const Settings& settings, int x, int y, const std::vector<int>& given) {
    Slices slices;
    make_slices(slices, data, given, true);
    ContextAnswers out;
    out.slice_of.resize(data.n_rows);
    for (size_t row = 0; row < data.n_rows; ++row) out.slice_of[row] = slices[row];
    out.slices.reserve(slices.n);
    const Grouped rows = grouped(out.slice_of, slices.n);
    const Column &cx = data.columns[x], &cy = data.columns[y];
    Judge judge(settings, data.simd);
    Tables tables(data, x, y);
    for (size_t s = 0; s < slices.n; ++s) {
        const uint32_t *first = rows.order.data() + rows.start[s], *end = rows.order.data() + rows.start[s + 1];
        std::int64_t units = 0;
        bool x_varies = false, y_varies = false;
        for (const uint32_t* row = first; row != end; ++row) {
            add_units(units, data.units[*row]);
            x_varies |= cx[*row] != cx[*first];
            y_varies |= cy[*row] != cy[*first];
        }
        judge.begin(cx.arity, cy.arity, 1, 0);
        tables.judge(judge, first, end);
        out.slices.push_back({judge.end(), static_cast<double>(units) * data.unit, x_varies && y_varies});
    }
    return out;
}

}  // namespace graphoid
