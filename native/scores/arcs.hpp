// What an arc is worth to a score of directed graphs, from the slices of a table over the other parents of its child.
//
// The gain of x as one more parent of y is that of y as one more parent of x, if the others are the same: BIC and BDeu are
// equal for graphs with the same independences. So a gain is a number of a question (x, y, given), as a test's is.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/sum.hpp"
#include "tests/special.hpp"

namespace graphoid {

// What all gains in a data set share. States that never occur have no parameters: they do not count.
class ArcScore {
public:
    // `ess` is that of BDeu; not positive: BIC.
    ArcScore(const Dataset& data, double ess);

    bool bic() const { return !(ess_ > 0); }
    double rows() const { return rows_; }
    double price() const { return price_; }              // of a parameter, by BIC: half the logarithm of the rows
    double states(int v) const { return states_[v]; }    // of a column that occur
    double entropy(int v) const { return entropy_[v]; }  // of a column, times the rows: the most that it can gain

    // c log c, from a table where c is whole and not too large.
    double c_log_c(std::uint32_t c) const { return c < table_.size() ? table_[c] : c_log_c(static_cast<double>(c)); }
    double c_log_c(double c) const {
        if (!(c > 0)) return 0;
        if (c < static_cast<double>(table_.size()) && c == std::floor(c)) return table_[static_cast<std::size_t>(c)];
        return c * std::log(c);
    }
    // log Gamma(base + c) / Gamma(base) for the pseudo-count ess / cells.
    const LogRising& rising(double cells) const { return rising_[ess_ / cells]; }

private:
    double ess_, rows_ = 0, price_ = 0;
    std::vector<double> states_, entropy_, table_;
    mutable RisingTables rising_;
};

// The gain of one arc; slices come one by one, as they do to a test.
class ArcGain {
public:
    void begin(const ArcScore& score, double states_x, double states_y, double configurations);
    // A slice as its rx * ry cells.
    template <class Count>
    void slice(const Count* cells, std::uint32_t rx, std::uint32_t ry);
    // A slice as its margins, after each of its cells that occur.
    void cell(double count);
    void margins(const std::vector<double>& rows, const std::vector<double>& columns, double n);
    double end() const { return score_->bic() ? sum_.value() - cost_ : static_cast<double>(log_ratio_.value()); }

private:
    template <class Count>
    double log_likelihood_ratio(const Count* cells, std::uint32_t rx, std::uint32_t ry);

    const ArcScore* score_ = nullptr;
    const LogRising *cells_ = nullptr, *rows_ = nullptr, *columns_ = nullptr, *slices_ = nullptr;  // BDeu
    double cost_ = 0;  // BIC
    Sum<double> sum_;
    Sum<long double> log_ratio_;
    double listed_ = 0;
    std::vector<double> row_, column_;
};

}  // namespace graphoid
