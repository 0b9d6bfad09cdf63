// What Python sees of the submodels.
#include "bindings/bind.hpp"
#include "bindings/vectors.hpp"
#include "bindings/labeled.hpp"
#include "models/submodels.hpp"

namespace graphoid {
namespace {

class SubmodelsHandle : public LabeledHandle<Submodels> {
public:
    using LabeledHandle::LabeledHandle;

    nb::object term(const Face& face, const std::vector<unsigned>& parts) {
        LabeledHandle::check(face.data(), face.size(), 1);
        for (unsigned part : parts) require(part >> face.size() == 0, "a subset beyond the face");
        return nb::cast(owned(model_.term(face, parts)));
    }

    nb::object own_potential(const Face& face) {
        check(face);
        return nb::cast(owned(model_.own_potential(face)));
    }

    double mutual_information(const Face& face) {
        check(face);
        return model_.mutual_information(face);
    }

private:
    void check(const Face& face) const { LabeledHandle::check(face.data(), face.size()); }
};

}  // namespace

void bind_submodels(nb::module_& m) {
    SubmodelsHandle::bind<SubmodelsHandle>(m, "Submodels")
        .def("term", &SubmodelsHandle::term)
        .def("own_potential", &SubmodelsHandle::own_potential)
        .def("mutual_information", &SubmodelsHandle::mutual_information);
}

}  // namespace graphoid
