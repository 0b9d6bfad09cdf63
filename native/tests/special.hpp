// The few special functions that tests of independence need, accurate in both tails.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace graphoid {

// Natural logarithm of P(X > x) for X chi-square with `dof` degrees of freedom (a whole number >= 1).
// Relative error of the probability below 1e-12 wherever a double can hold it; finite far beyond that.
double log_chi2_sf(double x, double dof);

// The same for any number of degrees of freedom above 0; relative error of the probability below 1e-10.
double log_chi2_sf_of_any(double x, double dof);

// x log(x / m) + m - x without cancellation when x is near m; `difference` is x - m, known more exactly.
double deviance(double x, double m, double difference);

// log Gamma(base + count) / Gamma(base): what a Dirichlet prior with pseudo-count `base` turns a count into.
// Extended precision, because sums of such terms cancel: at 20,000 rows doubles would keep 10 digits only.
class LogRising {
public:
    LogRising(double base, std::size_t largest);
    double base() const { return static_cast<double>(base_); }
    std::size_t largest() const { return table_.size() - 1; }
    long double operator()(std::size_t count) const {
        return count < table_.size() ? table_[count] : of(static_cast<long double>(count));
    }
    // Likewise of a count that need not be whole.
    long double of(long double count) const { return log_gamma(base_ + count) - log_gamma_; }
    // The same for a base that is `times` this one and any count.
    long double total(double times, double count) const;
    static long double direct(long double base, long double count);

private:
    static long double log_gamma(long double x);

    long double base_, log_gamma_;
    bool unit_;  // base is 1: totals come out of the same table
    std::vector<long double> table_;
};

// Such tables by their base, made when first asked for; several threads may ask.
class RisingTables {
public:
    // How long tables for counts of so many rows are: 32 MB of logarithms of Gamma at most; those of larger counts are
    // computed one by one.
    static std::size_t length_for(double rows) {
        constexpr double kLongest = 1 << 21;
        return static_cast<std::size_t>(rows < 0 ? 4096 : rows + 4096 < kLongest ? rows + 4096 : kLongest);
    }

    explicit RisingTables(std::size_t largest) : largest_(largest) {}
    const LogRising& operator[](double base) {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::unique_ptr<LogRising>& table = tables_[base];
        if (!table) table = std::make_unique<LogRising>(base, largest_);
        return *table;
    }

private:
    std::size_t largest_;
    std::mutex mutex_;
    std::map<double, std::unique_ptr<LogRising>> tables_;
};

// The tables of a length, shared by all data sets that want them while one of them does.
std::shared_ptr<RisingTables> rising_tables(std::size_t largest);

}  // namespace graphoid
