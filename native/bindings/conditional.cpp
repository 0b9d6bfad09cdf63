// What Python sees of the conditional likelihood.
#include "bindings/bind.hpp"
#include "models/conditional.hpp"

namespace graphoid {
namespace {

// Holds the arrays that are looked up.
class PotentialsHandle {
public:
    PotentialsHandle(Array<std::int32_t, 2> at, Array<std::uint16_t, 1> classes, nb::object row_weights, Array<double, 1> start,
                     Array<double, 1> start_own, Array<double, 2> counted, Array<double, 2> own, Array<std::int32_t, 1> face,
                     Array<double, 1> relevance, double scale_precision, double weight_precision) {
        const std::size_t n_rows = classes.shape(0), n_cells = counted.shape(0), c = start.shape(0), n_faces = relevance.shape(0);
        require(c > 0, "there must be a class");
        if (at.shape(0) != n_rows || at.shape(1) != n_faces) throw nb::value_error("a line of cells for every row");
        if (start_own.shape(0) != c || counted.shape(1) != c || own.shape(0) != n_cells || own.shape(1) != c)
            throw nb::value_error("scores for every class and cell");
        if (face.shape(0) != n_cells || !all_below(face.data(), n_cells, n_faces))
            throw nb::value_error("a face for every cell");
        if (!all_below(at.data(), at.size(), n_cells)) throw nb::value_error("a cell beyond the tables");
        if (!all_below(classes.data(), n_rows, c)) throw nb::value_error("a code beyond the classes");
        of_ = {n_rows,           n_faces,          n_cells,    c,           at.data(),        classes.data(),  nullptr,
               start.data(),     start_own.data(), counted.data(), own.data(), face.data(), relevance.data(),
               scale_precision,  weight_precision};
        for (const nb::object& array : {nb::cast(at), nb::cast(classes), nb::cast(start), nb::cast(start_own), nb::cast(counted),
                                        nb::cast(own), nb::cast(face), nb::cast(relevance)})
            keep_.append(array);
        if (!row_weights.is_none()) {
            Array<double, 1> array;
            if (!nb::try_cast(row_weights, array, false)) throw nb::type_error("weights must be a contiguous array of doubles");
            require(array.shape(0) == n_rows, "there must be one weight a row");
            of_.row_weights = array.data();
            keep_.append(row_weights);
        }
    }

    // The negative log posterior of scales and weights, and its derivatives.
    nb::tuple loss(Array<double, 1> scales) const {
        if (scales.size() != of_.size()) throw nb::value_error("a number for every scale and weight");
        std::vector<double> gradient(of_.size());
        const double total = without_lock([&] { return of_.loss(scales.data(), gradient.data()); });
        return nb::make_tuple(total, owned(std::move(gradient)));
    }

    nb::object minimum(std::size_t memory, std::size_t iterations, double slope, double gain) const {
        require(memory > 0, "at least one step must be remembered");
        room({memory, of_.size(), 2 * sizeof(double)});
        return nb::cast(owned(without_lock([&] { return of_.minimum({memory, iterations, slope, gain}); })));
    }

private:
    Potentials of_{};
    nb::list keep_;
};

}  // namespace

void bind_conditional(nb::module_& m) {
    nb::class_<PotentialsHandle>(m, "Potentials")
        .def(nb::init<Array<std::int32_t, 2>, Array<std::uint16_t, 1>, nb::object, Array<double, 1>, Array<double, 1>,
                      Array<double, 2>, Array<double, 2>, Array<std::int32_t, 1>, Array<double, 1>, double, double>(),
             nb::arg("at").noconvert(), nb::arg("classes").noconvert(), nb::arg("row_weights").none(),
             nb::arg("start").noconvert(), nb::arg("start_own").noconvert(), nb::arg("counted").noconvert(),
             nb::arg("own").noconvert(), nb::arg("face").noconvert(), nb::arg("relevance").noconvert(),
             nb::arg("scale_precision"), nb::arg("weight_precision"))
        .def("loss", &PotentialsHandle::loss)
        .def("minimum", &PotentialsHandle::minimum, nb::arg("memory"), nb::arg("iterations"), nb::arg("slope"), nb::arg("gain"));
}

}  // namespace graphoid
