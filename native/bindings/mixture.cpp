// What Python sees of averaging over structures.
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings/bind.hpp"
#include "models/mixture.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

template <class T>
std::vector<T> vector_of(const Array<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

class MixtureHandle {
public:
    MixtureHandle(const std::vector<std::uint32_t>& sizes, Array<double> start, Array<std::int32_t> terms, Array<double> weights,
           Array<std::uint8_t> advances, Array<std::int32_t> first_member, Array<std::int32_t> members, nb::list tables) {
        mixture_ = {start.shape(0),   sizes, vector_of(start), vector_of(terms), vector_of(weights), vector_of(advances), vector_of(first_member),
                    vector_of(members), {},    {}};
        for (nb::handle table : tables) {
            Array<double> array;
            if (!nb::try_cast(table, array, false)) throw nb::type_error("a table must be a contiguous array of doubles");
            mixture_.tables.push_back(array.data());
            keep_.append(table);
        }
        mixture_.prepare();
    }

    // A line of probabilities for every row; codes must be below the sizes.
    nb::object predict(nb::list columns, std::size_t n_rows, unsigned threads) const {
        std::vector<const std::uint16_t*> native;
        for (std::size_t v = 0; v < columns.size(); ++v) {
            Array<std::uint16_t> column;
            if (!nb::try_cast(columns[v], column, false) || column.shape(0) != n_rows)
                throw nb::type_error("a column must be a contiguous uint16 array with one code a row");
            for (std::size_t i = 0; i < n_rows; ++i)
                if (column.data()[i] >= mixture_.sizes[v]) throw nb::value_error("a code beyond the values");
            native.push_back(column.data());
        }
        const std::size_t n_classes = mixture_.n_classes;
        auto out = new_array<double, 2>({n_rows, n_classes});
        {
            nb::gil_scoped_release free;
            mixture_.predict(native, n_rows, threads, out.data());
        }
        return nb::cast(out);
    }

private:
    Mixture mixture_;
    nb::list keep_;
};

}  // namespace

void bind_mixture(nb::module_& m) {
    nb::class_<MixtureHandle>(m, "Mixture")
        .def(nb::init<const std::vector<std::uint32_t>&, Array<double>, Array<std::int32_t>, Array<double>, Array<std::uint8_t>,
                      Array<std::int32_t>, Array<std::int32_t>, nb::list>())
        .def("predict", &MixtureHandle::predict);
}

}  // namespace graphoid
