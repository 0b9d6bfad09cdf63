// What Python sees of the climb through structures.
#include "bindings/bind.hpp"
#include "bindings/vectors.hpp"
#include "bindings/labeled.hpp"
#include "models/climb.hpp"

namespace graphoid {
namespace {

class ClimbHandle : public LabeledHandle<Climb> {
public:
    using LabeledHandle::LabeledHandle;

    double start() const { return model_.start(); }

    nb::object with_each(Array<std::int32_t, 2> faces, Array<std::int32_t, 2> signs, unsigned threads) {
        const std::size_t n = faces.shape(0), size = faces.shape(1);
        for (std::size_t i = 0; i < n; ++i) check(faces.data() + i * size, size);
        require(signs.shape(0) == n && (n == 0 || signs.shape(1) == std::size_t{1} << size), "a sign for every subset");
        std::vector<double> out(n);
        without_lock([&] { model_.with_each(faces.data(), signs.data(), n, size, threads, out.data()); });
        return nb::cast(owned(std::move(out)));
    }

    void add(Array<std::int32_t> face, Array<std::int32_t> signs) {
        check(face.data(), face.shape(0));
        require(signs.shape(0) == std::size_t{1} << face.shape(0), "a sign for every subset");
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
