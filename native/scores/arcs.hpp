// What an arc is worth to a score of directed graphs, from the slices of a table over the other parents of its child.
//
// The gain of x as one more parent of y is that of y as one more parent of x, if the others are the same: BIC and BDeu are
// equal for graphs with the same independences. So a gain is a number of a question (x, y, given), as a test's is.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/sum.hpp"
#include "tests/special.hpp"

namespace graphoid {

using SampleSizes = std::vector<double>;  // equivalent ones of BDeu, each as likely as the others; none: BIC

// What all gains in a data set share. States that never occur have no parameters: they do not count.
class ArcScore {
public:
    ArcScore(const Dataset& data, SampleSizes sizes);

    bool bic() const { return sizes_.empty(); }
    const SampleSizes& sizes() const { return sizes_; }
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
    // log Gamma(base + c) / Gamma(base) for a pseudo-count.
    const LogRising& rising(double base) const { return rising_[base]; }

private:
    SampleSizes sizes_;
    double rows_ = 0, price_ = 0;
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
    void margins(const std::vector<double>& row_margins, const std::vector<double>& column_margins, double n);
    double end() { return score_->bic() ? sum_.value() - cost_ : log_ratio(); }

private:
    // Tables of x, y and what is given, of less of them, and of nothing: the rows.
    enum Part { cells, rows, columns, slices, all, parts };
    struct Likelihoods {  // of tables by BDeu, with one equivalent sample size
        const LogRising* rising[parts];
        Sum<long double> log[parts];
        long double of(Part part) const { return log[part].value() - log[all].value(); }
    };

    template <class Count>
    double log_likelihood_ratio(const Count* cells, std::uint32_t rx, std::uint32_t ry);
    void add(Part part, double count) {
        for (Likelihoods& one : bdeu_) one.log[part].add(term(*one.rising[part], count));
    }
    long double log_mean(Part part) const;
    double log_ratio();
    static long double term(const LogRising& table, double count);

    const ArcScore* score_ = nullptr;
    std::array<double, parts> sizes_{};  // of the tables, in cells
    std::vector<Likelihoods> bdeu_;
    double rows_ = 0;
    double cost_ = 0;  // BIC
    Sum<double> sum_;
    double listed_ = 0;
    std::vector<double> row_, column_;
};

}  // namespace graphoid
