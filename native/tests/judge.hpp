// From the slices of a table to the numbers of a test. Slices come one by one, in any order.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/association.hpp"
#include "counting/simd.hpp"
#include "counting/sum.hpp"
#include "scores/arcs.hpp"
#include "tests/special.hpp"

namespace graphoid {

enum class Kind { chi_square, g, bayesian, mantel_haenszel, arc };
enum class Dof { slices, adjusted, full };

struct Settings {
    Kind kind = Kind::chi_square;
    Dof dof = Dof::slices;
    double log_prior = 0;              // log P(CI)
    bool occurring = false;            // K counts the slices that occur, not all configurations
    const LogRising* rising = nullptr; // of the pseudo-count; set for Kind::bayesian
    const ArcScore* arcs = nullptr;    // set for Kind::arc, whose number is the gain of a score
};

struct Numbers {
    double statistic, dof, log_p;  // classical tests; the gain of an arc
    double log_odds;               // Bayesian test
    double cells;                  // of the slices that occur
    double rows = 0;               // behind them, where cells are missing or rows have weights
};

// A cell that occurs, of a slice too large to be written out.
struct Cell {
    std::uint32_t x, y;
    double count;
};

// Settings with the table that a test looks up, where it has one.
inline Settings with_rising(Settings settings, RisingTables& tables, double pseudo_count) {
    if (settings.kind == Kind::bayesian) settings.rising = &tables[pseudo_count];
    return settings;
}

class Judge {
public:
    Judge(const Settings& settings, const Simd& simd) : set_(settings), simd_(simd) {}

    // Starts a test of variables with rx and ry states. The number of configurations of the conditioning set
    // comes as it is (infinite where a double cannot hold it) and as its logarithm.
    void begin(std::uint32_t rx, std::uint32_t ry, double configurations, double log_configurations);
    // The same for Kind::arc, by the states that occur.
    void begin_arc(double states_x, double states_y, double configurations) { arc_.begin(*set_.arcs, states_x, states_y, configurations); }
    // Slices as rx * ry tables, one after the other. Empty ones are stepped over.
    void slices(const std::uint32_t* cells, std::size_t n);
    template <class Count>
    void slice(const Count* cells);
    // Slices of one row each, which say nothing to any test but that they occur.
    void singles(std::size_t n) { sum_.slices += n; }
    // A slice as the list of its cells that are not zero.
    void slice(const std::vector<Cell>& cells);
    Numbers end();

private:
    template <class Count>
    void margins(const Count* cells);
    template <class Count>
    double chi_square(const Count* cells, double n);
    template <class Count>
    void g(const Count* cells, double n);
    template <class Count>
    void bayesian(const Count* cells, double n);
    template <class Count>
    void mantel_haenszel(const Count* cells, double n);
    void dof_of_slice(double rows, double columns);
    // Pearson's statistic is used as published; G, and "adjusted" degrees of freedom, where chi-square fits.
    bool as_published() const { return set_.kind == Kind::chi_square && set_.dof != Dof::adjusted; }
    bool chi_square_fits() const;
    void moments(double pearson, double rows, double columns, double n);
    long double rising(double count) const;
    void add(double value) { add_to(sum_.high, sum_.low, value); }

    Settings set_;
    const Simd& simd_;
    std::uint32_t rx_ = 0, ry_ = 0;
    double configurations_ = 1, log_configurations_ = 0;
    ChiSum sum_;
    Sum<double> pearson_, mean_, variance_;      // Pearson's statistic, and its moments given the margins of the slices
    Sum<double> bias_;                           // of G
    std::vector<double> row_, column_;           // margins of the slice at hand
    std::vector<double> inverse_;                // 1 / column margin, 0 where it is 0
    std::vector<std::uint32_t> rows_, columns_;  // states of the slice at hand that occur, ascending
    Association association_;                    // over all slices; for Kind::mantel_haenszel
    ArcGain arc_;                                // likewise; for Kind::arc
    std::vector<long double> log_ratios_;        // log h_k / g_k of slices; those left out have 1
};

}  // namespace graphoid
