// Columns of codes, the weights of rows and the settings of tests, as Python hands them over.
#pragma once

#include <cmath>

#include "bindings/bind.hpp"
#include "counting/dataset.hpp"
#include "tests/judge.hpp"

namespace graphoid {

using Flat = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Columns, and the arrays that they are read from.
struct Columns {
    std::vector<Column> native;
    std::vector<Flat> held;
};

inline Column column_of(nb::handle codes, std::size_t n, Flat& array) {
    if (!nb::try_cast(codes, array, false) || array.shape(0) != n)
        throw nb::type_error("a column must be a contiguous array with one code a row");
    Column column;
    if (array.dtype() == nb::dtype<std::uint8_t>())
        column.narrow = static_cast<const std::uint8_t*>(array.data());
    else if (array.dtype() == nb::dtype<std::uint16_t>())
        column.wide = static_cast<const std::uint16_t*>(array.data());
    else
        throw nb::type_error("codes must be uint8 or uint16");
    return column;
}

inline Columns columns_of(const nb::list& columns, std::size_t n_variables, std::size_t n) {
    const nb::tuple listed(columns);  // looking at an array may run code that changes the list
    require(listed.size() == n_variables, "there must be one column a variable");
    Columns out;
    out.held.resize(n_variables);
    for (std::size_t v = 0; v < n_variables; ++v) out.native.push_back(column_of(listed[v], n, out.held[v]));
    return out;
}

// Codes are of 16 bits at most, so that there are no more states.
inline void check_arities(const std::vector<std::uint32_t>& arities) {
    require(all_below(arities.data(), arities.size(), 65537), "a variable has at most 65,536 states");
}

// The weights of rows, from an array that is to be kept; null for None.
inline const std::int64_t* weights_of(const nb::object& units, std::size_t n, Array<std::int64_t>& array) {
    if (units.is_none()) return nullptr;
    if (!nb::try_cast(units, array, false) || array.shape(0) != n) throw nb::type_error("there must be one weight a row");
    return array.data();
}

inline Settings settings_of(int kind, int dof, double log_prior, bool occurring) {
    require(kind >= 0 && kind <= static_cast<int>(Kind::mantel_haenszel), "there is no such kind of test");
    require(dof >= 0 && dof <= static_cast<int>(Dof::full), "there is no such way to count degrees of freedom");
    // the logarithm of a probability that a double can hold, above 0 and below 1
    require(kind != static_cast<int>(Kind::bayesian) || (log_prior < 0 && log_prior > -1000), "a log prior is below 0 and above -1,000");
    Settings out;
    out.kind = static_cast<Kind>(kind);
    out.dof = static_cast<Dof>(dof);
    out.log_prior = log_prior;
    out.occurring = occurring;
    return out;
}

// A pseudo-count that logarithms of Gamma can be made for.
inline double check_pseudo_count(double value) {
    require(value > 0 && std::isfinite(value), "a pseudo-count is a finite number above 0");
    return value;
}

}  // namespace graphoid
