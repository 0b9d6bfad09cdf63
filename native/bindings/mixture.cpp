// What Python sees of averaging over structures.
#include "bindings/labeled.hpp"
#include "bindings/vectors.hpp"
#include "models/mixture.hpp"

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
        for (nb::handle table : nb::tuple(tables)) {
            Array<double> array;
            if (!nb::try_cast(table, array, false)) throw nb::type_error("a table must be a contiguous array of doubles");
            mixture_.tables.push_back(array.data());
            keep_.push_back(array);
        }
        check(first_member);
        mixture_.prepare();
    }

    // A line of probabilities for every row; codes must be below the sizes.
    nb::object predict(nb::list columns, std::size_t n_rows, unsigned threads) const {
        std::vector<Array<std::uint16_t>> held;
        const std::vector<const std::uint16_t*> native = attribute_columns(columns, mixture_.sizes, n_rows, held);
        const std::size_t n_classes = mixture_.n_classes;
        auto out = new_array<double, 2>({n_rows, n_classes});
        without_lock([&] { mixture_.predict(native, n_rows, threads, out.data()); });
        return nb::cast(out);
    }

private:
    // Every operation has its numbers, every term its members and a table with all its cells.
    void check(const Array<std::int32_t>& first_member) const {
        const Mixture& m = mixture_;
        require(m.n_classes > 0, "there must be a class");
        require(m.weights.size() == m.terms.size() && m.advances.size() == m.terms.size(), "terms, weights and advances differ in length");
        require(divides(first_member, m.tables.size(), m.members.size()), "first_member must say where the members of each table begin");
        require(all_below(m.members.data(), m.members.size(), m.sizes.size()), "there is no such attribute");
        for (std::size_t k = 0; k < m.terms.size(); ++k)
            require(m.terms[k] >= (m.advances[k] ? 0 : -1) && m.terms[k] < static_cast<std::int64_t>(m.tables.size()), "there is no such term");
        for (std::size_t t = 0; t < m.tables.size(); ++t) {
            std::size_t cells = 1;
            for (auto j = m.first_member[t]; j < m.first_member[t + 1]; ++j) cells = n_cells(cells, m.sizes[m.members[j]]);
            require(keep_[t].shape(0) == cells * m.n_classes, "a table has a number for every cell and class");
        }
    }

    Mixture mixture_;
    std::vector<Array<double>> keep_;
};

}  // namespace

void bind_mixture(nb::module_& m) {
    nb::class_<MixtureHandle>(m, "Mixture")
        .def(nb::init<const std::vector<std::uint32_t>&, Array<double>, Array<std::int32_t>, Array<double>, Array<std::uint8_t>,
                      Array<std::int32_t>, Array<std::int32_t>, nb::list>())
        .def("predict", &MixtureHandle::predict);
}

}  // namespace graphoid
