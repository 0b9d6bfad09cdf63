// Columns of codes, the weights of rows and the settings of tests, as Python hands them over.
#pragma once

#include <vector>

#include "bindings/bind.hpp"
#include "counting/dataset.hpp"
#include "tests/judge.hpp"

namespace graphoid {

namespace nb = nanobind;
using Flat = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline Column column_of(nb::handle codes, std::size_t n) {
    Flat array;
    // no conversion: it would be a copy that is gone when this function is
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

inline std::vector<Column> columns_of(const nb::list& columns, std::size_t n_variables, std::size_t n) {
    if (columns.size() != n_variables) throw nb::value_error("one column a variable");
    std::vector<Column> native;
    for (nb::handle codes : columns) native.push_back(column_of(codes, n));
    return native;
}

// The weights of rows, which the caller keeps; null for None.
inline const std::int64_t* weights_of(const nb::object& units, std::size_t n) {
    if (units.is_none()) return nullptr;
    Array<std::int64_t> array;
    if (!nb::try_cast(units, array, false) || array.shape(0) != n) throw nb::type_error("there must be one weight a row");
    return array.data();
}

inline Settings settings_of(int kind, int dof, double log_prior, bool occurring) {
    Settings out;
    out.kind = static_cast<Kind>(kind);
    out.dof = static_cast<Dof>(dof);
    out.log_prior = log_prior;
    out.occurring = occurring;
    return out;
}

}  // namespace graphoid
