// Coded rows with their classes, as Python hands them over.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bindings/bind.hpp"
#include "models/faces.hpp"

namespace graphoid {

// A code without a value would be counted outside the table.
inline void refuse_codes_beyond(const std::uint16_t* codes, std::size_t n, std::uint32_t size) {
    for (std::size_t i = 0; i < n; ++i)
        if (codes[i] >= size) throw nanobind::value_error("a code beyond the values");
}

// Checks the arrays and appends them to `keep`, which must live as long as the rows.
inline Labeled labeled_rows(nanobind::list columns, const std::vector<std::uint32_t>& sizes,
                       Array<std::uint16_t> classes, std::uint32_t n_classes, nanobind::object weights,
                       double theta, nanobind::list keep) {
    Labeled rows{classes.shape(0), {}, sizes, classes.data(), n_classes, nullptr, theta};
    keep.append(nanobind::cast(classes));
    refuse_codes_beyond(classes.data(), rows.n_rows, n_classes);
    for (std::size_t v = 0; v < columns.size(); ++v) {
        Array<std::uint16_t> column;
        // no conversion: it would be a copy that is gone when this loop is
        if (!nanobind::try_cast(columns[v], column, false) || column.shape(0) != rows.n_rows)
            throw nanobind::type_error("a column must be a contiguous uint16 array with one code a row");
        refuse_codes_beyond(column.data(), rows.n_rows, sizes.at(v));
        rows.columns.push_back(column.data());
        keep.append(columns[v]);
    }
    if (!weights.is_none()) {
        Array<double> array;
        if (!nanobind::try_cast(weights, array, false) || array.shape(0) != rows.n_rows)
            throw nanobind::type_error("there must be one weight a row");
        rows.weights = array.data();
        keep.append(weights);
    }
    return rows;
}

// A model of coded rows with their classes, and the arrays that it reads.
template <class Model>
class LabeledHandle {
public:
    LabeledHandle(nanobind::list columns, const std::vector<std::uint32_t>& sizes, Array<std::uint16_t> classes,
                  std::uint32_t n_classes, nanobind::object weights, double theta)
        : model_(labeled_rows(columns, sizes, classes, n_classes, weights, theta, keep_)) {}

    template <class Handle>
    static nanobind::class_<Handle> bind(nanobind::module_& m, const char* name) {
        return nanobind::class_<Handle>(m, name).def(
            nanobind::init<nanobind::list, const std::vector<std::uint32_t>&, Array<std::uint16_t>, std::uint32_t,
                           nanobind::object, double>(),
            nanobind::arg("columns"), nanobind::arg("sizes"), nanobind::arg("classes"), nanobind::arg("n_classes"),
            nanobind::arg("weights").none(), nanobind::arg("theta"));
    }

protected:
    nanobind::list keep_;  // first: the model is made from what it holds
    Model model_;
};

}  // namespace graphoid
