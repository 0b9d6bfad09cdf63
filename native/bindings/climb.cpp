// What Python sees of the climb through structures.
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings/bind.hpp"
#include "bindings/labeled.hpp"
#include "models/climb.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

class ClimbHandle : public LabeledHandle<Climb> {
public:
    using LabeledHandle::LabeledHandle;

    double start() const { return model_.start(); }

    nb::object with_each(Array<std::int32_t, 2> faces, Array<std::int32_t, 2> signs, unsigned threads) {
        const std::size_t n = faces.shape(0), size = faces.shape(1);
        if (signs.shape(0) != n || signs.shape(1) != std::size_t{1} << size) throw nb::value_error("a sign for every subset");
        std::vector<double> out(n);
        {
            nb::gil_scoped_release free;
            model_.with_each(faces.data(), signs.data(), n, size, threads, out.data());
        }
        return nb::cast(owned(std::move(out)));
    }

    void add(Array<std::int32_t> face, Array<std::int32_t> signs) {
        if (signs.shape(0) != std::size_t{1} << face.shape(0)) throw nb::value_error("a sign for every subset");
        model_.add(face.data(), signs.data(), face.shape(0));
    }
};

}  // namespace

void bind_climb(nb::module_& m) {
    ClimbHandle::bind<ClimbHandle>(m, "Climb")
        .def("start", &ClimbHandle::start)
        .def("with_each", &ClimbHandle::with_each)
        .def("add", &ClimbHandle::add);
}

}  // namespace graphoid
