// Minima of smooth convex functions of many weights: L-BFGS, steps by the weak Wolfe conditions.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "counting/limits.hpp"

namespace graphoid {

struct Limits {
    std::size_t memory;      // steps remembered
    std::size_t iterations;  // after which to stop
    double slope;            // stop where no derivative is larger
    double gain;             // or when a step gains less than this share of the loss
};

// Four sums side by side: one would wait for each of its additions.
inline double dot(const double* a, const double* b, std::size_t n) {
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) s[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

// Moves `at` to the minimum; loss(at, gradient) returns the value and writes the derivatives.
template <class Loss>
void minimize(Loss loss, std::vector<double>& at, const Limits& limits) {
    constexpr double enough = 1e-3, flat = 0.9;  // of the first slope: what a step must gain, what may be left (as L-BFGS-B)
    constexpr int most_trials = 30;              // of step lengths; more are needed where rounding hides the rest
    struct Pair {
        std::vector<double> step, change;
        double inverse;  // 1 / (step . change)
    };
    const std::size_t n = at.size();
    std::vector<Pair> pairs;  // the oldest first
    std::vector<double> gradient(n), direction(n), next(n), next_gradient(n), along(limits.memory);
    double value = loss(at.data(), gradient.data());
    for (std::size_t iteration = 0; iteration < limits.iterations; ++iteration) {
        check_time();
        double largest = 0.0;
        for (double g : gradient) largest = std::max(largest, std::abs(g));
        if (largest <= limits.slope) return;

        direction = gradient;  // the two loops: the inverse Hessian, as the remembered steps tell it, times the gradient
        for (std::size_t k = pairs.size(); k-- > 0;) {
            along[k] = pairs[k].inverse * dot(pairs[k].step.data(), direction.data(), n);
            for (std::size_t i = 0; i < n; ++i) direction[i] -= along[k] * pairs[k].change[i];
        }
        double scale = 1.0 / std::sqrt(dot(gradient.data(), gradient.data(), n));
        if (!pairs.empty()) {
            const std::vector<double>& change = pairs.back().change;
            scale = 1.0 / (pairs.back().inverse * dot(change.data(), change.data(), n));
        }
        for (double& d : direction) d *= scale;
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const double more = along[k] - pairs[k].inverse * dot(pairs[k].change.data(), direction.data(), n);
            for (std::size_t i = 0; i < n; ++i) direction[i] += more * pairs[k].step[i];
        }
        const double slope = -dot(gradient.data(), direction.data(), n);
        if (!(slope < 0.0)) return;

        // A step length between one that is too short and one that is too long.
        double length = 1.0, shortest = 0.0, longest = std::numeric_limits<double>::infinity();
        double short_value = value, short_slope = slope, next_value = value;
        bool found = false;
        for (int trial = 0; trial < most_trials && !found; ++trial) {
            for (std::size_t i = 0; i < n; ++i) next[i] = at[i] - length * direction[i];
            next_value = loss(next.data(), next_gradient.data());
            const double next_slope = -dot(next_gradient.data(), direction.data(), n);
            if (!(next_value <= value + enough * length * slope)) {
                longest = length;
                const double width = longest - shortest, above = next_value - short_value - short_slope * width;
                const double inside = -short_slope * width / (2.0 * above);  // the parabola through what is known
                length = shortest + width * (inside > 0.1 && inside < 0.9 ? inside : 0.5);
            } else if (next_slope < flat * slope) {
                shortest = length, short_value = next_value, short_slope = next_slope;
                length = std::isinf(longest) ? 2.0 * length : 0.5 * (shortest + longest);
            } else {
                found = true;
            }
        }
        if (!found) return;

        if (pairs.size() == limits.memory) std::rotate(pairs.begin(), pairs.begin() + 1, pairs.end());
        else pairs.push_back({std::vector<double>(n), std::vector<double>(n), 0.0});
        Pair& last = pairs.back();
        for (std::size_t i = 0; i < n; ++i) {
            last.step[i] = next[i] - at[i];
            last.change[i] = next_gradient[i] - gradient[i];
        }
        last.inverse = 1.0 / dot(last.step.data(), last.change.data(), n);
        const double gained = value - next_value, size = std::max({std::abs(value), std::abs(next_value), 1.0});
        std::swap(at, next);
        std::swap(gradient, next_gradient);
        value = next_value;
        if (gained <= limits.gain * size) return;
    }
}

}  // namespace graphoid
