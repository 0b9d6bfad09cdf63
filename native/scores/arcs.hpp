// What an arc is worth to a score of directed graphs, from the slices of a table over the other parents of its child.
//
// The gain of x as one more parent of y is that of y as one more parent of x, if the others are the same: BIC and BDeu are
// equal for graphs with the same independences. So a gain is a number of a question (x, y, given), as a test's is.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "counting/dataset.hpp"
#include "counting/sum.hpp"
#include "tests/special.hpp"

namespace graphoid {

using SampleSizes = std::vector<double>;  // equivalent ones of BDeu, each as likely as the others; none: BIC

// Sums of terms, one of each equivalent sample size, side by side so that the processor adds several at once. They carry
// their rounding errors along: tables of equal counts have equal likelihoods, in whatever order cells come.
class RisingSums {
public:
    void begin(std::size_t sizes) {
        high_.assign(sizes, 0.0);
        low_.assign(sizes, 0.0);
    }
    void add(const double* terms) {
        for (std::size_t s = 0; s < high_.size(); ++s) add_to(high_[s], low_[s], terms[s]);
    }
    long double operator[](std::size_t s) const { return static_cast<long double>(high_[s]) + low_[s]; }

private:
    std::vector<double> high_, low_;
};

// log Gamma(base + count) / Gamma(base) of the pseudo-counts that a cell of a table has by each equivalent sample size.
class RisingTerms {
public:
    RisingTerms(const SampleSizes& sizes, double cells);
    void add(double count, RisingSums& sums, std::vector<double>& scratch) const;

private:
    std::vector<double> base_, log_gamma_;
    std::vector<double> table_;  // of whole counts, the sizes of a count next to each other
};

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
    // What counts of a table with so many cells add.
    const RisingTerms& rising(double cells) const;

private:
    SampleSizes sizes_;
    double rows_ = 0, price_ = 0;
    std::vector<double> states_, entropy_, table_;
    mutable std::mutex mutex_;  // terms are made when first asked for, and several threads may ask
    mutable std::map<double, RisingTerms> rising_;
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
    template <class Count>
    double log_likelihood_ratio(const Count* cells, std::uint32_t rx, std::uint32_t ry);
    void add(Part part, double count) { rising_[part]->add(count, bdeu_[part], scratch_); }
    long double log_mean(Part part) const;
    double log_ratio();

    const ArcScore* score_ = nullptr;
    std::array<double, parts> sizes_{};  // of the tables, in cells
    std::array<const RisingTerms*, parts> rising_{};
    std::array<RisingSums, parts> bdeu_;
    std::vector<double> scratch_;
    double rows_ = 0;
    double cost_ = 0;  // BIC
    Sum<double> sum_;
    double listed_ = 0;
    std::vector<double> row_, column_;
};

}  // namespace graphoid
