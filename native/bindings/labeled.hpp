// Coded rows with their classes, as Python hands them over.
#pragma once

#include "bindings/bind.hpp"
#include "models/faces.hpp"

namespace graphoid {

// So many cells times one more size; cells are numbered in 32 bits.
inline std::size_t n_cells(std::size_t cells, std::size_t size) {
    cells *= size;
    require(cells < std::size_t{1} << 32, "a table has fewer than 4,294,967,296 cells");
    return cells;
}

// The codes of attributes, an array for each, which go to `held`; every code has a value.
inline std::vector<const std::uint16_t*> attribute_columns(nb::list columns, const std::vector<std::uint32_t>& sizes,
                                                           std::size_t n_rows, std::vector<Array<std::uint16_t>>& held) {
    const nb::tuple listed(columns);  // looking at an array may run code that changes the list
    require(listed.size() == sizes.size(), "there must be one column an attribute");
    std::vector<const std::uint16_t*> native;
    for (std::size_t v = 0; v < sizes.size(); ++v) {
        Array<std::uint16_t> column;
        // no conversion: it would be a copy that is gone when this loop is
        if (!nb::try_cast(listed[v], column, false) || column.shape(0) != n_rows)
            throw nb::type_error("a column must be a contiguous uint16 array with one code a row");
        require(all_below(column, sizes[v]), "a code beyond the values");
        native.push_back(column.data());
        held.push_back(column);
    }
    return native;
}

// Arrays that rows are read from.
struct LabeledArrays {
    std::vector<Array<std::uint16_t>> columns;
    Array<double> weights;
};

// Checks the arrays and has `keep` hold them, which must live as long as the rows.
inline Labeled labeled_rows(nb::list columns, const std::vector<std::uint32_t>& sizes,
                       Array<std::uint16_t> classes, std::uint32_t n_classes, nb::object weights,
                       double theta, LabeledArrays& keep) {
    Labeled rows{classes.shape(0), {}, sizes, classes.data(), n_classes, nullptr, theta};
    require(n_classes > 0 && n_classes <= 65536, "there are 1 to 65,536 classes");
    require(all_below(classes, n_classes), "a code beyond the classes");
    room({rows.n_rows, n_classes, sizeof(double)});
    rows.columns = attribute_columns(columns, sizes, rows.n_rows, keep.columns);
    keep.columns.push_back(classes);
    if (!weights.is_none()) {
        if (!nb::try_cast(weights, keep.weights, false) || keep.weights.shape(0) != rows.n_rows)
            throw nb::type_error("there must be one weight a row");
        rows.weights = keep.weights.data();
    }
    return rows;
}

// Whether attributes are there, and their table, with `spare` values more an axis, can be numbered.
inline void check_face(const std::vector<std::uint32_t>& sizes, std::size_t n_classes, const std::int32_t* face, std::size_t size,
                       std::size_t spare = 0) {
    if (!all_below(face, size, sizes.size())) throw nb::index_error("there is no such attribute");
    require(size <= 20, "a face has at most 20 attributes");  // a million subsets
    std::size_t cells = n_classes;
    for (std::size_t j = 0; j < size; ++j) {
        require(std::find(face, face + j, face[j]) == face + j, "a face has an attribute once");
        cells = n_cells(cells, sizes[face[j]] + spare);
    }
}

// A model of coded rows with their classes, and the arrays that it reads.
template <class Model>
class LabeledHandle {
public:
    LabeledHandle(nb::list columns, const std::vector<std::uint32_t>& sizes, Array<std::uint16_t> classes,
                  std::uint32_t n_classes, nb::object weights, double theta)
        : sizes_(sizes), n_classes_(n_classes), model_(labeled_rows(columns, sizes, classes, n_classes, weights, theta, keep_)) {}

    template <class Handle>
    static nb::class_<Handle> bind(nb::module_& m, const char* name) {
        return nb::class_<Handle>(m, name).def(
            nb::init<nb::list, const std::vector<std::uint32_t>&, Array<std::uint16_t>, std::uint32_t,
                           nb::object, double>(),
            nb::arg("columns"), nb::arg("sizes"), nb::arg("classes"), nb::arg("n_classes"),
            nb::arg("weights").none(), nb::arg("theta"));
    }

protected:
    void check(const std::int32_t* face, std::size_t size, std::size_t spare = 0) const { check_face(sizes_, n_classes_, face, size, spare); }

    std::vector<std::uint32_t> sizes_;
    std::size_t n_classes_;
    LabeledArrays keep_;  // before the model, which is made from what it holds
    Model model_;
};

}  // namespace graphoid
