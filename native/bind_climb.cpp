// What Python sees of the climb through structures.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "climb.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

template <class T, class... Shape>
using Array = nb::ndarray<const T, Shape..., nb::c_contig, nb::device::cpu>;

// Holds the arrays that the climb reads.
class ClimbHandle {
public:
    ClimbHandle(nb::list columns, const std::vector<std::uint32_t>& sizes, Array<std::uint16_t, nb::ndim<1>> classes,
           std::uint32_t n_classes, nb::object weights, double theta) {
        Labeled rows{classes.shape(0), {}, sizes, classes.data(), n_classes, nullptr, theta};
        keep_.append(nb::cast(classes));
        check(classes.data(), rows.n_rows, n_classes);
        for (std::size_t v = 0; v < columns.size(); ++v) {
            Array<std::uint16_t, nb::ndim<1>> column;
            // no conversion: it would be a copy that is gone when this loop is
            if (!nb::try_cast(columns[v], column, false) || column.shape(0) != rows.n_rows)
                throw nb::type_error("a column must be a contiguous uint16 array with one code a row");
            check(column.data(), rows.n_rows, sizes.at(v));
            rows.columns.push_back(column.data());
            keep_.append(columns[v]);
        }
        if (!weights.is_none()) {
            Array<double, nb::ndim<1>> array;
            if (!nb::try_cast(weights, array, false) || array.shape(0) != rows.n_rows)
                throw nb::type_error("there must be one weight a row");
            rows.weights = array.data();
            keep_.append(weights);
        }
        climb_ = std::make_unique<Climb>(std::move(rows));
    }

    double start() const { return climb_->start(); }

    nb::object with_each(Array<std::int32_t, nb::ndim<2>> faces, Array<std::int32_t, nb::ndim<2>> signs, unsigned threads) {
        const std::size_t n = faces.shape(0), size = faces.shape(1);
        if (signs.shape(0) != n || signs.shape(1) != std::size_t{1} << size) throw nb::value_error("a sign for every subset");
        std::vector<double> out(n);
        {
            nb::gil_scoped_release free;
            climb_->with_each(faces.data(), signs.data(), n, size, threads, out.data());
        }
        return nb::cast(owned(std::move(out)));
    }

    void add(Array<std::int32_t, nb::ndim<1>> face, Array<std::int32_t, nb::ndim<1>> signs) {
        if (signs.shape(0) != std::size_t{1} << face.shape(0)) throw nb::value_error("a sign for every subset");
        climb_->add(face.data(), signs.data(), face.shape(0));
    }

private:
    // A code without a value would be counted outside the table.
    static void check(const std::uint16_t* codes, std::size_t n, std::uint32_t size) {
        for (std::size_t i = 0; i < n; ++i)
            if (codes[i] >= size) throw nb::value_error("a code beyond the values");
    }

    std::unique_ptr<Climb> climb_;
    nb::list keep_;
};

}  // namespace

void bind_climb(nb::module_& m) {
    nb::class_<ClimbHandle>(m, "Climb")
        .def(nb::init<nb::list, const std::vector<std::uint32_t>&, Array<std::uint16_t, nb::ndim<1>>, std::uint32_t, nb::object,
                      double>(),
             nb::arg("columns"), nb::arg("sizes"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights").none(),
             nb::arg("theta"))
        .def("start", &ClimbHandle::start)
        .def("with_each", &ClimbHandle::with_each)
        .def("add", &ClimbHandle::add);
}

}  // namespace graphoid
