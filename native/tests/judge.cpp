#include "tests/judge.hpp"

#include <algorithm>

namespace graphoid {

void Judge::begin(std::uint32_t rx, std::uint32_t ry, double configurations, double log_configurations) {
    rx_ = rx;
    ry_ = ry;
    configurations_ = configurations;
    log_configurations_ = log_configurations;
    sum_ = ChiSum{};
    pearson_ = mean_ = variance_ = bias_ = Sum<double>{};
    log_ratios_.clear();
    row_.assign(rx, 0);
    column_.assign(ry, 0);
    inverse_.resize(ry);
    if (set_.kind == Kind::mantel_haenszel) association_.begin(rx, ry);
}

void Judge::dof_of_slice(double rows, double columns) {
    ++sum_.slices;
    sum_.dof += (rows - 1) * (columns - 1);
}

template <class Count>
void Judge::margins(const Count* cells) {
    std::fill(column_.begin(), column_.end(), 0.0);
    for (std::uint32_t i = 0; i < rx_; ++i) {
        double sum = 0;
        for (std::uint32_t j = 0; j < ry_; ++j) {
            const auto c = static_cast<double>(cells[i * ry_ + j]);
            sum += c;
            column_[j] += c;
        }
        row_[i] = sum;
    }
}

void Judge::slices(const std::uint32_t* cells, std::size_t n) {
    const std::size_t size = static_cast<std::size_t>(rx_) * ry_;
    if (as_published() && rx_ >= 2 && rx_ <= 4 && ry_ >= 2 && ry_ <= 4) {
        simd_.chi_slices(cells, n, rx_, ry_, &sum_);
        return;
    }
    for (std::size_t s = 0; s < n; ++s) slice(cells + s * size);
}

template <class Count>
void Judge::slice(const Count* cells) {
    if (set_.kind == Kind::arc) {
        arc_.slice(cells, rx_, ry_);
        return;
    }
    margins(cells);
    double n = 0;
    for (const double r : row_) n += r;
    if (n == 0) return;
    if (set_.kind == Kind::bayesian) {
        bayesian(cells, n);
        return;
    }
    if (set_.kind == Kind::mantel_haenszel) {
        mantel_haenszel(cells, n);
        return;
    }
    double rows = 0, columns = 0;
    for (const double r : row_) rows += r > 0;
    for (const double k : column_) columns += k > 0;
    dof_of_slice(rows, columns);
    if (rows < 2 || columns < 2) return;
    const double pearson = chi_square(cells, n);
    if (set_.kind == Kind::chi_square)
        add(pearson);
    else
        g(cells, n);
    moments(pearson, rows, columns, n);
}

// Mean and variance of Pearson's statistic over all tables with the margins of the slice at hand.
void Judge::moments(double pearson, double rows, double columns, double n) {
    if (n < 2 || as_published()) return;
    double inverse_rows = 0, inverse_columns = 0;
    for (const double r : row_) inverse_rows += r > 0 ? n / r : 0;
    for (const double k : column_) inverse_columns += k > 0 ? n / k : 0;
    pearson_.add(pearson);
    mean_.add(n / (n - 1) * (rows - 1) * (columns - 1));
    bias_.add((inverse_rows - 1) * (inverse_columns - 1) / (6 * n));
    if (n < 3) return;  // one table, or two with the same statistic
    const double w = (inverse_rows - rows * rows) / (n - 2), u = (inverse_columns - columns * columns) / (n - 2);
    double variance = n * n / (n - 1) * w * u;
    if (n >= 4) {  // with three rows v is w; weights may lie in between
        const double v = (rows - 1) * (n - rows) / (n - 1), t = (columns - 1) * (n - columns) / (n - 1);
        variance += 2 * n / (n - 3) * (v - w) * (t - u);
    }
    variance_.add(variance);
}

// sum (c n - r k)^2 / (r k) / n: the differences are whole numbers and cancel without loss.
template <class Count>
double Judge::chi_square(const Count* cells, double n) {
    for (std::uint32_t j = 0; j < ry_; ++j) inverse_[j] = column_[j] > 0 ? 1 / column_[j] : 0;
    double total = 0;
    for (std::uint32_t i = 0; i < rx_; ++i) {
        const double r = row_[i];
        if (r == 0) continue;
        double sum = 0;
        for (std::uint32_t j = 0; j < ry_; ++j) {
            const double difference = static_cast<double>(cells[i * ry_ + j]) * n - r * column_[j];
            sum += difference * difference * inverse_[j];
        }
        total += sum / r;
    }
    return total / n;
}

// 2 sum of c log(c / e) + e - c: terms that are never negative, where the usual ones cancel.
template <class Count>
void Judge::g(const Count* cells, double n) {
    double total = 0;
    for (std::uint32_t i = 0; i < rx_; ++i) {
        if (row_[i] == 0) continue;
        for (std::uint32_t j = 0; j < ry_; ++j) {
            if (column_[j] == 0) continue;
            const auto c = static_cast<double>(cells[i * ry_ + j]);
            const double product = row_[i] * column_[j];
            total += deviance(c, product / n, (c * n - product) / n);
        }
    }
    add(2 * total);
}

long double Judge::rising(double count) const {
    const double whole = std::floor(count);
    if (whole == count) return (*set_.rising)(static_cast<std::size_t>(whole));
    return LogRising::direct(set_.rising->base(), count);
}

// log h / g: joint model against independent model, Dirichlet pseudo-counts all equal.
template <class Count>
void Judge::bayesian(const Count* cells, double n) {
    ++sum_.slices;
    if (n == 1 && *std::max_element(row_.begin(), row_.end()) == 1) return;  // one row: its ratio is exactly 1
    long double ratio = 0;
    const std::size_t size = static_cast<std::size_t>(rx_) * ry_;
    for (std::size_t i = 0; i < size; ++i)
        if (cells[i] != 0) ratio += rising(static_cast<double>(cells[i]));
    for (const double r : row_) ratio -= rising(r);
    for (const double k : column_) ratio -= rising(k);
    const LogRising& table = *set_.rising;
    ratio += table.total(rx_, n) + table.total(ry_, n) - table.total(static_cast<double>(rx_) * ry_, n);
    log_ratios_.push_back(ratio);
}

template <class Count>
void Judge::mantel_haenszel(const Count* cells, double n) {
    ++sum_.slices;
    rows_.clear();
    columns_.clear();
    for (std::uint32_t i = 0; i < rx_; ++i)
        if (row_[i] > 0) rows_.push_back(i);
    for (std::uint32_t j = 0; j < ry_; ++j)
        if (column_[j] > 0) columns_.push_back(j);
    if (n <= 1 || rows_.size() < 2 || columns_.size() < 2) return;
    for (const std::uint32_t i : rows_)
        for (const std::uint32_t j : columns_)
            association_.cell(i, j, (static_cast<double>(cells[i * ry_ + j]) * n - row_[i] * column_[j]) / n);
    association_.margins(rows_, columns_, row_.data(), column_.data(), n);
}

namespace {

// The states that occur among cells, ascending.
template <class State>
void occurring(const std::vector<Cell>& cells, State state, std::vector<std::uint32_t>& out) {
    out.clear();
    for (const Cell& cell : cells) out.push_back(state(cell));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace

void Judge::slice(const std::vector<Cell>& cells) {
    double n = 0;
    for (const Cell& cell : cells) {
        row_[cell.x] += cell.count;
        column_[cell.y] += cell.count;
        n += cell.count;
    }
    if (n > 0) {
        occurring(cells, [](const Cell& cell) { return cell.x; }, rows_);
        occurring(cells, [](const Cell& cell) { return cell.y; }, columns_);
        const auto rows = static_cast<double>(rows_.size()), columns = static_cast<double>(columns_.size());
        if (set_.kind == Kind::arc) {
            for (const Cell& cell : cells) arc_.cell(cell.count);
            // margins of states that do not occur are zero, and add nothing
            arc_.margins(row_, column_, n);
        } else if (set_.kind == Kind::bayesian) {
            ++sum_.slices;
            long double ratio = 0;
            for (const Cell& cell : cells) ratio += rising(cell.count);
            for (const std::uint32_t i : rows_) ratio -= rising(row_[i]);
            for (const std::uint32_t j : columns_) ratio -= rising(column_[j]);
            const LogRising& table = *set_.rising;
            ratio += table.total(rx_, n) + table.total(ry_, n) - table.total(static_cast<double>(rx_) * ry_, n);
            log_ratios_.push_back(ratio);
        } else if (set_.kind == Kind::mantel_haenszel) {
            ++sum_.slices;
            if (n > 1 && rows > 1 && columns > 1) {
                auto next = cells.begin();  // in the order of (x, y), as the states are
                for (const std::uint32_t i : rows_)
                    for (const std::uint32_t j : columns_) {
                        const bool occurs = next != cells.end() && next->x == i && next->y == j;
                        association_.cell(i, j, ((occurs ? (next++)->count : 0) * n - row_[i] * column_[j]) / n);
                    }
                association_.margins(rows_, columns_, row_.data(), column_.data(), n);
            }
        } else {
            dof_of_slice(rows, columns);
            // Cells that are zero add their expected count; together these are n less the others'.
            double pearson = 0, likelihood = 0, expected = 0;
            for (const Cell& cell : cells) {
                const double product = row_[cell.x] * column_[cell.y], e = product / n;
                const double difference = (cell.count * n - product) / n;
                expected += e;
                pearson += difference * difference / e;
                if (set_.kind == Kind::g) likelihood += deviance(cell.count, e, difference);
            }
            const double empty = std::max(0.0, n - expected);
            if (rows > 1 && columns > 1) {
                add(set_.kind == Kind::chi_square ? pearson + empty : 2 * (likelihood + empty));
                moments(pearson + empty, rows, columns, n);
            }
        }
    }
    for (const Cell& cell : cells) row_[cell.x] = column_[cell.y] = 0;
}

namespace {

// log(exp(u) - 1) for u = exp(log_u) > 0
long double log_expm1(long double log_u) {
    const long double u = std::exp(log_u);
    if (u < 1e-8L) return log_u + u / 2;
    return u > 50 ? u : std::log(std::expm1(u));
}

// log P(CI | D) = -sum_k log(1 + (q_k / p_k) h_k / g_k) over all K slices, as log odds. `even` is the share of slices
// whose ratio h / g is 1, those without rows among them: each adds -log p_k = -log_prior / K.
double log_odds(const std::vector<long double>& log_ratios, long double even, long double log_prior, long double log_k) {
    // q / p = 1 / p - 1 with log p = log_prior / K
    const long double log_q_over_p = log_expm1(std::log(-log_prior) - log_k);
    Sum<long double> total;
    total.add(-log_prior * even);
    long double largest = -INFINITY;
    for (const long double ratio : log_ratios) {
        const long double t = log_q_over_p + ratio;
        total.add(t > 40 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)));
        largest = std::max(largest, t);
    }
    const long double sum = total.value();
    if (even > 0 || largest > -700) {
        // P = exp(-sum): log odds = -sum - log(1 - exp(-sum))
        return static_cast<double>(-sum - (sum < 0.7L ? std::log(-std::expm1(-sum)) : std::log1p(-std::exp(-sum))));
    }
    Sum<long double> scaled;  // far out, log(1 + exp(t)) is exp(t): add these up on the log scale
    for (const long double ratio : log_ratios) scaled.add(std::exp(log_q_over_p + ratio - largest));
    return static_cast<double>(-(largest + std::log(scaled.value())));
}

}  // namespace

// Whether chi-square is near enough to what a statistic does by chance: in its mean, and Pearson's in its variance.
bool Judge::chi_square_fits() const {
    const double mean = mean_.value(), variance = variance_.value();
    if (as_published() || mean <= 0) return true;
    constexpr double off = 0.1;
    const double bias = set_.kind == Kind::g ? bias_.value() : mean - sum_.dof;
    if (bias > off * std::sqrt(2 * sum_.dof)) return false;
    return set_.kind == Kind::g || std::fabs(2 * mean * mean - sum_.dof * variance) <= off * sum_.dof * variance;
}

Numbers Judge::end() {
    const double occur = static_cast<double>(sum_.slices);
    Numbers out{sum_.high + sum_.low, 0, 0, 0, occur * rx_ * ry_};
    if (set_.kind == Kind::arc) {
        out.statistic = arc_.end();
        return out;
    }
    if (set_.kind == Kind::bayesian) {
        const double k = set_.occurring ? std::max(occur, 1.0) : configurations_;
        const auto uneven = static_cast<long double>(log_ratios_.size());
        // below 2^53 configurations are whole numbers, and their difference is exact: 0 if it should be
        const long double even = std::isinf(k) ? 1 : (k - uneven) / k;
        out.log_odds = log_odds(log_ratios_, even, set_.log_prior, set_.occurring ? std::log(k) : log_configurations_);
        return out;
    }
    const double cells = (rx_ - 1.0) * (ry_ - 1.0);
    if (set_.kind == Kind::mantel_haenszel) {
        out.statistic = association_.end(&out.dof);
    } else {
        switch (set_.dof) {
            case Dof::slices: out.dof = cells * occur; break;
            case Dof::adjusted: out.dof = sum_.dof; break;
            case Dof::full: out.dof = cells > 0 ? cells * configurations_ : 0; break;
        }
    }
    if (set_.kind != Kind::mantel_haenszel && !chi_square_fits()) {
        const double mean = mean_.value(), variance = variance_.value();
        const bool some = variance > 1e-9 * mean * mean;  // else every table has the same statistic
        out.statistic = some ? pearson_.value() * (2 * mean / variance) : 0;
        out.dof = some ? 2 * mean * mean / variance : 0;
        out.log_p = some ? log_chi2_sf_of_any(out.statistic, out.dof) : 0;
        return out;
    }
    out.log_p = out.dof > 0 ? log_chi2_sf(out.statistic, out.dof) : 0;
    return out;
}

template void Judge::slice(const std::uint32_t*);
template void Judge::slice(const double*);

}  // namespace graphoid
