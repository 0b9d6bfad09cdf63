// What Python sees of the climb through structures.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings/bind.hpp"
#include "bindings/labeled.hpp"
#include "models/climb.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

// Holds the arrays that the climb reads.
class ClimbHandle {
public:
    ClimbHandle(nb::list columns, const std::vector<std::uint32_t>& sizes, Array<std::uint16_t> classes,
           std::uint32_t n_classes, nb::object weights, double theta)
        : climb_(labeled(columns, sizes, classes, n_classes, weights, theta, keep_)) {}

    double start() const { return climb_.start(); }

    nb::object with_each(Array<std::int32_t, 2> faces, Array<std::int32_t, 2> signs, unsigned threads) {
        const std::size_t n = faces.shape(0), size = faces.shape(1);
        if (signs.shape(0) != n || signs.shape(1) != std::size_t{1} << size) throw nb::value_error("a sign for every subset");
        std::vector<double> out(n);
        {
            nb::gil_scoped_release free;
            climb_.with_each(faces.data(), signs.data(), n, size, threads, out.data());
        }
        return nb::cast(owned(std::move(out)));
    }

    void add(Array<std::int32_t> face, Array<std::int32_t> signs) {
        if (signs.shape(0) != std::size_t{1} << face.shape(0)) throw nb::value_error("a sign for every subset");
        climb_.add(face.data(), signs.data(), face.shape(0));
    }

private:
    nb::list keep_;  // first: the climb is made from what it holds
    Climb climb_;
};

}  // namespace

void bind_climb(nb::module_& m) {
    nb::class_<ClimbHandle>(m, "Climb")
        .def(nb::init<nb::list, const std::vector<std::uint32_t>&, Array<std::uint16_t>, std::uint32_t, nb::object,
                      double>(),
             nb::arg("columns"), nb::arg("sizes"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights").none(),
             nb::arg("theta"))
        .def("start", &ClimbHandle::start)
        .def("with_each", &ClimbHandle::with_each)
        .def("add", &ClimbHandle::add);
}

}  // namespace graphoid
