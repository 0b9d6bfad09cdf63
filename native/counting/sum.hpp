// Sums that carry their rounding error along, so that they do not depend on the order of their terms.
#pragma once

namespace graphoid {

// Adds to the unevaluated sum high + low (two-sum).
template <class Number>
void add_to(Number& high, Number& low, Number value) {
    const Number next = high + value, part = next - high;
    low += (high - (next - part)) + (value - part);
    high = next;
}

template <class Number>
struct Sum {
    Number high = 0, low = 0;
    void add(Number value) { add_to(high, low, value); }
    Number value() const { return high + low; }
};

}  // namespace graphoid
