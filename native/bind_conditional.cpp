// What Python sees of the conditional likelihood.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

#include "bind.hpp"
#include "conditional.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

template <class T, std::size_t n>
using Array = nb::ndarray<const T, nb::ndim<n>, nb::c_contig, nb::device::cpu>;

// Holds the arrays that are looked up.
class LookUpsHandle {
public:
    LookUpsHandle(Array<std::int32_t, 2> at, Array<double, 2> own, Array<std::uint16_t, 1> classes, std::size_t n_cells,
                  std::size_t n_classes, nb::object weights)
        : n_cells_(n_cells) {
        const std::size_t n_rows = classes.shape(0);
        if (at.shape(0) != n_rows || own.shape(0) != n_rows) throw nb::value_error("a line for every row");
        if (!std::all_of(at.data(), at.data() + at.size(),
                         [&](std::int32_t cell) { return cell >= 0 && static_cast<std::size_t>(cell) < n_cells; }))
            throw nb::value_error("a cell beyond the tables");
        if (!std::all_of(classes.data(), classes.data() + n_rows, [&](std::uint16_t y) { return y < n_classes; }))
            throw nb::value_error("a code beyond the classes");
        rows_ = {n_rows, at.shape(1), own.shape(1), at.data(), own.data(), classes.data(), n_classes, nullptr};
        keep_.append(nb::cast(at));
        keep_.append(nb::cast(own));
        keep_.append(nb::cast(classes));
        if (!weights.is_none()) {
            const auto array = nb::cast<Array<double, 1>>(weights);
            if (array.shape(0) != n_rows) throw nb::value_error("there must be one weight a row");
            rows_.weights = array.data();
            keep_.append(nb::cast(array));
        }
    }

    // The loss, and its derivatives by start, tables and scales; tables and theirs are flat.
    nb::tuple loss(Array<double, 1> start, Array<double, 1> tables, Array<double, 1> scales) const {
        if (start.size() != rows_.n_classes || tables.size() != n_cells_ * rows_.n_classes || scales.size() != rows_.n_scales)
            throw nb::value_error("scores for every class and cell, and every scale");
        std::vector<double> by_start(start.size()), by_table(tables.size()), by_scale(scales.size());
        double total;
        {
            nb::gil_scoped_release free;
            total = rows_.loss(start.data(), tables.data(), scales.data(), by_start.data(), by_table.data(), by_scale.data());
        }
        return nb::make_tuple(total, owned(std::move(by_start)), owned(std::move(by_table)), owned(std::move(by_scale)));
    }

private:
    LookUps rows_{};
    std::size_t n_cells_;
    nb::list keep_;
};

}  // namespace

void bind_conditional(nb::module_& m) {
    nb::class_<LookUpsHandle>(m, "LookUps")
        .def(nb::init<Array<std::int32_t, 2>, Array<double, 2>, Array<std::uint16_t, 1>, std::size_t, std::size_t, nb::object>(),
             nb::arg("at").noconvert(), nb::arg("own").noconvert(), nb::arg("classes").noconvert(), nb::arg("n_cells"),
             nb::arg("n_classes"), nb::arg("weights").none())
        .def("loss", &LookUpsHandle::loss);
}

}  // namespace graphoid
