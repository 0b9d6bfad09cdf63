#include "scores/arcs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace graphoid {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20;  // of the table of c log c: eight megabytes
constexpr std::size_t kRising = 1024;                   // of those of log Gamma, of which there may be many: they stay near
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// From 1,000 on, by Stirling's series.
double log_gamma(double x) {
    const double y = 1 / x;
    return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + y * (1 / 12.0 - y * y * (1 / 360.0 - y * y / 1260.0));
}

}  // namespace

RisingTerms::RisingTerms(const SampleSizes& sizes, double cells) : base_(sizes), log_gamma_(sizes.size()), table_(kRising * sizes.size()) {
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        base_[s] /= cells;
        const LogRising one(base_[s], kRising);
        log_gamma_[s] = static_cast<double>(std::lgamma(static_cast<long double>(base_[s])));
        for (std::size_t c = 0; c < kRising; ++c) table_[c * sizes.size() + s] = static_cast<double>(one(c));
    }
}

void RisingTerms::add(double count, RisingSums& sums, std::vector<double>& scratch) const {
    const std::size_t sizes = base_.size();
    if (!(count > 0)) return;
    if (count < kRising && count == std::floor(count)) {
        sums.add(table_.data() + static_cast<std::size_t>(count) * sizes);
        return;
    }
    scratch.resize(sizes);
    for (std::size_t s = 0; s < sizes; ++s)
        scratch[s] = count < kRising ? static_cast<double>(LogRising::direct(base_[s], count)) : log_gamma(base_[s] + count) - log_gamma_[s];
    sums.add(scratch.data());
}

ArcScore::ArcScore(const Dataset& data, SampleSizes sizes) : sizes_(std::move(sizes)), states_(data.columns.size(), 0), entropy_(data.columns.size(), 0) {
    std::uint64_t total = 0;  // without a sign: sums of hostile weights may wrap
    for (std::size_t i = 0; i < data.n_rows; ++i) total += data.units == nullptr ? 1 : static_cast<std::uint64_t>(data.units[i]);
    rows_ = static_cast<double>(static_cast<std::int64_t>(total)) * (data.units == nullptr ? 1.0 : data.unit);
    price_ = rows_ > 1 ? 0.5 * std::log(rows_) : 0;
    table_.resize(std::min(kLongest, data.n_rows + 1));
    for (std::size_t c = 2; c < table_.size(); ++c) table_[c] = static_cast<double>(c) * std::log(static_cast<double>(c));
    std::vector<std::int64_t> counts;
    for (std::size_t v = 0; v < data.columns.size(); ++v) {
        counts.assign(data.columns[v].arity, 0);
        for (std::size_t i = 0; i < data.n_rows; ++i) add_units(counts[data.columns[v][i]], data.units == nullptr ? 1 : data.units[i]);
        if (data.columns[v].holes) counts.pop_back();
        double observed = 0;
        for (const std::int64_t units : counts) observed += static_cast<double>(units) * (data.units == nullptr ? 1.0 : data.unit);
        entropy_[v] = c_log_c(data.columns[v].holes ? observed : rows_);
        for (const std::int64_t units : counts) {
            const double count = static_cast<double>(units) * (data.units == nullptr ? 1.0 : data.unit);
            states_[v] += count > 0;
            entropy_[v] -= c_log_c(count);
        }
        states_[v] = std::max(1.0, states_[v]);
    }
}

const RisingTerms& ArcScore::rising(double cells) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return rising_.try_emplace(cells, sizes_, cells).first->second;
}

void ArcGain::begin(const ArcScore& score, double states_x, double states_y, double configurations) {
    if (score_ != &score) sizes_ = {};
    score_ = &score;
    sum_ = {};
    listed_ = 0;
    rows_ = 0;
    cost_ = score.price() * (states_x - 1) * (states_y - 1) * configurations;
    if (score.bic()) return;
    const std::array<double, parts> sizes{configurations * states_x * states_y, configurations * states_x, configurations * states_y, configurations, 1};
    for (int part = 0; part < parts; ++part) {
        if (sizes[part] != sizes_[part]) rising_[part] = &score.rising(sizes[part]);  // which asks for a lock
        bdeu_[part].begin(score.sizes().size());
    }
    sizes_ = sizes;
}

// The logarithm of the mean over equivalent sample sizes, but for how many there are.
long double ArcGain::log_mean(Part part) const {
    const std::size_t sizes = score_->sizes().size();
    long double most = -std::numeric_limits<long double>::infinity();
    for (std::size_t s = 0; s < sizes; ++s) most = std::max(most, bdeu_[part][s] - bdeu_[all][s]);
    double sum = 0;
    for (std::size_t s = 0; s < sizes; ++s) sum += std::exp(static_cast<double>(bdeu_[part][s] - bdeu_[all][s] - most));
    return most + std::log(sum);
}

double ArcGain::log_ratio() {
    add(all, rows_);
    return static_cast<double>(log_mean(cells) - log_mean(rows) - log_mean(columns) + log_mean(slices));
}

// The sum of c log c over cells, less those over both margins, and that of all.
template <class Count>
double ArcGain::log_likelihood_ratio(const Count* cells, std::uint32_t rx, std::uint32_t ry) {
    double sum = 0;
    Count n = 0;
    for (std::uint32_t i = 0; i < rx; ++i) {
        Count row = 0;
        for (std::uint32_t j = 0; j < ry; ++j) {
            sum += score_->c_log_c(cells[i * ry + j]);
            row += cells[i * ry + j];
        }
        sum -= score_->c_log_c(row);
        n += row;
    }
    if (!(n > 0)) return 0;
    for (std::uint32_t j = 0; j < ry; ++j) {
        Count column = 0;
        for (std::uint32_t i = 0; i < rx; ++i) column += cells[i * ry + j];
        sum -= score_->c_log_c(column);
    }
    return sum + score_->c_log_c(n);
}

template <class Count>
void ArcGain::slice(const Count* cells, std::uint32_t rx, std::uint32_t ry) {
    if (score_->bic()) {
        sum_.add(log_likelihood_ratio(cells, rx, ry));
        return;
    }
    row_.assign(rx, 0.0);
    column_.assign(ry, 0.0);
    double n = 0;
    for (std::uint32_t i = 0; i < rx; ++i)
        for (std::uint32_t j = 0; j < ry; ++j) {
            const auto count = static_cast<double>(cells[i * ry + j]);
            if (count == 0) continue;
            cell(count);
            row_[i] += count;
            column_[j] += count;
            n += count;
        }
    if (n > 0) margins(row_, column_, n);
}

void ArcGain::cell(double count) {
    if (score_->bic())
        listed_ += score_->c_log_c(count);
    else
        add(cells, count);
}

void ArcGain::margins(const std::vector<double>& row_margins, const std::vector<double>& column_margins, double n) {
    if (score_->bic()) {
        for (const double row : row_margins) listed_ -= score_->c_log_c(row);
        for (const double column : column_margins) listed_ -= score_->c_log_c(column);
        sum_.add(listed_ + score_->c_log_c(n));
        listed_ = 0;
        return;
    }
    for (const double row : row_margins) add(rows, row);
    for (const double column : column_margins) add(columns, column);
    add(slices, n);
    rows_ += n;
}

template void ArcGain::slice(const std::uint32_t*, std::uint32_t, std::uint32_t);
template void ArcGain::slice(const double*, std::uint32_t, std::uint32_t);

}  // namespace graphoid
