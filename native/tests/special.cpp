#include "tests/special.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphoid {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLogSqrt2Pi = 0.91893853320467274178;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// log x! minus Stirling's formula for it, for x > 15 (series of the remainder, error below 1e-17).
double stirling_error(double x) {
    const double u = 1.0 / (x * x);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - u / 1188) * u) * u) * u) / x;
}

// log of x^a exp(-x) / Gamma(a + 1)
double log_gamma_term(double a, double x) {
    if (a <= 15) return static_cast<double>(a * std::log(static_cast<long double>(x)) - x - std::lgamma(static_cast<long double>(a + 1)));
    return -stirling_error(a) - deviance(a, x, a - x) - kLogSqrt2Pi - 0.5 * std::log(a);
}

// log Q(a, x), the upper incomplete gamma ratio, for a a whole or half number. P = 1 - Q and Q are sums of terms
// D(b) = x^b exp(-x) / Gamma(b + 1), which are all positive: upwards from a for P, downwards from a - 1 for Q.
double log_from_lower(double a, double x) {
    double term = 1, sum = 1;
    for (double n = a + 1; term > sum * kEpsilon; ++n) {
        term *= x / n;
        sum += term;
    }
    return std::log1p(-std::min(1.0 - kEpsilon, std::exp(log_gamma_term(a, x)) * sum));
}

double log_upper_gamma(double a, double x) {
    const bool half = a != std::floor(a);
    if (x < a - 4 * std::sqrt(a) || (half && x < 30)) return log_from_lower(a, x);  // Q near 1, or its series not yet good
    const double log_term = log_gamma_term(a, x);
    // Below b = 0 the terms of a half-odd a alternate: the asymptotic series of erfc, good until they grow.
    const double inverse = 1 / x;
    double term = a * inverse, sum = term;
    for (double b = a - 1; b > -x && b != 0; --b) {
        term *= b * inverse;
        sum += term;
        if (term == 0 || std::fabs(term) < sum * (0.5 * kEpsilon)) break;
    }
    return std::min(0.0, log_term + std::log(sum));
}

// The same for a beyond what can be summed term by term: Temme's uniform expansion, of which what is left out is below 1 / a.
double log_upper_gamma_of_large(double a, double x) {
    const double d = deviance(a, x, a - x), s = std::sqrt(d), eta = std::copysign(std::sqrt(2 * (d / a)), x - a);
    const double c0 = std::fabs(eta) < 0.1 ? -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta / 864)) : a / (x - a) - 1 / eta;
    const double rest = c0 / std::sqrt(2 * kPi) / std::sqrt(a);
    if (x <= a) return std::log1p(-std::max(0.0, 0.5 * std::erfc(s) - std::exp(-d) * rest));
    if (d < 300) return std::log(0.5 * std::erfc(s) + std::exp(-d) * rest);
    double term = 1, sum = 1;  // the asymptotic series of erfc; ten terms are exact from 300 on
    for (int k = 1; k < 10; ++k) sum += term *= -(2 * k - 1) / (2 * d);
    return -d + std::log(0.5 * sum / (s * std::sqrt(kPi)) + rest);
}

constexpr double kMostSummed = 1e12;  // terms are about ten times the root of that: 20 ms

}  // namespace

double deviance(double x, double m, double difference) {
    if (x == 0) return m;
    if (std::fabs(difference) < 0.1 * (x + m)) {
        // Loader's series in v = (x - m) / (x + m)
        const double v = difference / (x + m), v2 = v * v;
        double s = difference * v, ej = 2 * x * v;
        for (int j = 1; j < 1000; ++j) {
            ej *= v2;
            const double next = s + ej / (2 * j + 1);
            if (next == s) return next;
            s = next;
        }
    }
    return x * std::log(x / m) - difference;
}

double log_chi2_sf(double x, double dof) {
    if (!(x > 0) || std::isinf(dof)) return 0.0;
    if (std::isinf(x)) return -x;
    const double h = 0.5 * x;
    // Sums of few positive terms, where nothing overflows: exact and quick.
    if (dof == 2) return -h;
    if (dof <= 40 && h < 600) {
        const bool even = std::fmod(dof, 2.0) == 0;
        const double root = std::sqrt(h);
        double term = even ? 1.0 : root * 1.12837916709551257390;  // 2 / sqrt(pi)
        double sum = 0;
        for (double k = even ? 1.0 : 1.5; k <= 0.5 * dof; ++k) {
            sum += term;
            term *= h / k;
        }
        const double p = even ? std::exp(-h) * sum : std::erfc(root) + std::exp(-h) * sum;
        if (p < 0.99) return even ? -h + std::log(sum) : std::log(p);
        return log_from_lower(0.5 * dof, h);  // near 1 the logarithm comes from what is missing
    }
    return std::min(0.0, 0.5 * dof > kMostSummed ? log_upper_gamma_of_large(0.5 * dof, h) : log_upper_gamma(0.5 * dof, h));
}

double log_chi2_sf_of_any(double x, double dof) {
    if (!(x > 0)) return 0.0;
    const double a = 0.5 * dof, h = 0.5 * x;
    if (a > kMostSummed) return std::min(0.0, log_upper_gamma_of_large(a, h));
    if (h < a + 1) return log_from_lower(a, h);
    // Lentz's continued fraction
    constexpr double tiny = 1e-300;
    double b = h + 1 - a, c = 1 / tiny, d = 1 / b, value = d;
    for (double i = 1; i < 1e7; ++i) {
        const double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        d = 1 / (std::fabs(d) > tiny ? d : tiny);
        c = b + an / c;
        c = std::fabs(c) > tiny ? c : tiny;
        value *= d * c;
        if (std::fabs(d * c - 1) < kEpsilon) break;
    }
    return std::min(0.0, log_gamma_term(a, h) + std::log(a) + std::log(value));
}

// By Stirling's series where its next term is below 1e-24: a logarithm instead of some ten.
long double LogRising::log_gamma(long double x) {
    if (x < 1000) return std::lgamma(x);
    constexpr long double kHalfLogTwoPi = 0.918938533204672741780329736405617640L;
    const long double y = 1 / x;
    return (x - 0.5L) * std::log(x) - x + kHalfLogTwoPi + y * (1 / 12.0L - y * y * (1 / 360.0L - y * y / 1260.0L));
}

LogRising::LogRising(double base, std::size_t largest) : base_(base), log_gamma_(log_gamma(base_)), unit_(base == 1.0) {
    table_.resize(largest + 1);
    long double sum = 0, lost = 0;  // Kahan's summation: the table is as good as its last digit
    for (std::size_t i = 0; i < table_.size(); ++i) {
        table_[i] = sum;
        const long double term = std::log(base_ + static_cast<long double>(i)) - lost;
        const long double next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
}

long double LogRising::direct(long double base, long double count) {
    if (count == 0) return 0;
    return log_gamma(base + count) - log_gamma(base);
}

long double LogRising::total(double times, double count) const {
    const double last = times + count - 1;
    if (unit_ && times == std::floor(times) && count == std::floor(count) && last < static_cast<double>(table_.size()))
        return table_[static_cast<std::size_t>(last)] - table_[static_cast<std::size_t>(times - 1)];
    return direct(static_cast<long double>(times) * base_, static_cast<long double>(count));
}

std::shared_ptr<RisingTables> rising_tables(std::size_t largest) {
    static std::mutex mutex;
    static std::map<std::size_t, std::weak_ptr<RisingTables>> shared;
    const std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<RisingTables> tables = shared[largest].lock();
    if (!tables) shared[largest] = tables = std::make_shared<RisingTables>(largest);
    return tables;
}

}  // namespace graphoid
