// What Python sees of the submodels.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "bindings/bind.hpp"
#include "bindings/labeled.hpp"
#include "models/submodels.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

// Holds the arrays that are counted.
class SubmodelsHandle {
public:
    SubmodelsHandle(nb::list columns, const std::vector<std::uint32_t>& sizes, Array<std::uint16_t> classes,
                    std::uint32_t n_classes, nb::object weights, double theta)
        : n_columns_(columns.size()), submodels_(labeled(columns, sizes, classes, n_classes, weights, theta, keep_)) {}

    nb::object term(const Face& face, const std::vector<unsigned>& parts) {
        check(face);
        for (unsigned part : parts)
            if (part >> face.size() != 0) throw nb::value_error("a subset beyond the face");
        return nb::cast(owned(submodels_.term(face, parts)));
    }

    nb::object own_potential(const Face& face) {
        check(face);
        return nb::cast(owned(submodels_.own_potential(face)));
    }

    double mutual_information(const Face& face) {
        check(face);
        return submodels_.mutual_information(face);
    }

private:
    void check(const Face& face) const {
        for (std::int32_t v : face)
            if (v < 0 || static_cast<std::size_t>(v) >= n_columns_) throw nb::index_error("there is no such attribute");
    }

    std::size_t n_columns_;
    nb::list keep_;  // first: the submodels are made from what it holds
    Submodels submodels_;
};

}  // namespace

void bind_submodels(nb::module_& m) {
    nb::class_<SubmodelsHandle>(m, "Submodels")
        .def(nb::init<nb::list, const std::vector<std::uint32_t>&, Array<std::uint16_t>, std::uint32_t, nb::object,
                      double>(),
             nb::arg("columns"), nb::arg("sizes"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights").none(),
             nb::arg("theta"))
        .def("term", &SubmodelsHandle::term)
        .def("own_potential", &SubmodelsHandle::own_potential)
        .def("mutual_information", &SubmodelsHandle::mutual_information);
}

}  // namespace graphoid
