// What Python sees of data that stream past: values to codes, and rows to distinct rows.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <vector>

#include "bind.hpp"
#include "merge.hpp"
#include "recode.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

using Flat = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Column column_of(nb::handle codes, std::size_t n) {
    Flat array;
    if (!nb::try_cast(codes, array, false) || array.shape(0) != n)
        throw nb::type_error("a column must be a contiguous array with one code a row");
    Column column;
    if (array.dtype() == nb::dtype<std::uint8_t>())
        column.narrow = static_cast<const std::uint8_t*>(array.data());
    else if (array.dtype() == nb::dtype<std::uint16_t>())
        column.wide = static_cast<const std::uint16_t*>(array.data());
    else
        throw nb::type_error("codes must be uint8 or uint16");
    return column;
}

class MergerHandle {
public:
    MergerHandle(const std::vector<std::uint32_t>& arities, std::size_t most)
        : n_variables_(arities.size()), merger_(arities, std::min<std::size_t>(most, 0xFFFFFFF0u)) {}

    bool add(nb::list columns, nb::object units, std::size_t n) {
        if (columns.size() != n_variables_) throw nb::value_error("one column a variable");
        std::vector<Column> native;
        for (nb::handle codes : columns) native.push_back(column_of(codes, n));
        const std::int64_t* weights = nullptr;
        nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
        if (!units.is_none()) {
            if (!nb::try_cast(units, array, false) || array.shape(0) != n) throw nb::type_error("there must be one weight a row");
            weights = array.data();
        }
        nb::gil_scoped_release free;
        return merger_.add(native, weights, n);
    }

    nb::tuple rows() const {
        return nb::make_tuple(owned(std::vector<Word>(merger_.keys())), owned(std::vector<std::int64_t>(merger_.units())));
    }
    std::size_t size() const { return merger_.size(); }

private:
    std::size_t n_variables_;
    RowMerger merger_;
};

template <class Code, class Value>
nb::tuple recoded(const Flat& values, std::int64_t low, const Flat& table, bool plain) {
    const std::size_t n = values.shape(0);
    auto* codes = new Code[n];
    nb::capsule owner(codes, [](void* p) noexcept { delete[] static_cast<Code*>(p); });
    std::size_t strangers = 0;
    {
        nb::gil_scoped_release free;
        strangers = recode(static_cast<const Value*>(values.data()), n, low, static_cast<const Code*>(table.data()),
                           table.shape(0), plain, codes);
    }
    return nb::make_tuple(nb::ndarray<nb::numpy, Code, nb::ndim<1>>(codes, {n}, owner), strangers);
}

template <class Code>
nb::tuple recode_to(const Flat& values, std::int64_t low, const Flat& table, bool plain) {
    const auto type = values.dtype();
    if (type == nb::dtype<std::int8_t>()) return recoded<Code, std::int8_t>(values, low, table, plain);
    if (type == nb::dtype<std::uint8_t>()) return recoded<Code, std::uint8_t>(values, low, table, plain);
    if (type == nb::dtype<std::int16_t>()) return recoded<Code, std::int16_t>(values, low, table, plain);
    if (type == nb::dtype<std::uint16_t>()) return recoded<Code, std::uint16_t>(values, low, table, plain);
    if (type == nb::dtype<std::int32_t>()) return recoded<Code, std::int32_t>(values, low, table, plain);
    if (type == nb::dtype<std::uint32_t>()) return recoded<Code, std::uint32_t>(values, low, table, plain);
    if (type == nb::dtype<std::int64_t>()) return recoded<Code, std::int64_t>(values, low, table, plain);
    throw nb::type_error("values must be integers of up to 64 bits, with a sign if 64");
}

nb::tuple recode_values(Flat values, std::int64_t low, Flat table, bool plain) {
    if (table.shape(0) == 0) throw nb::value_error("the table is empty");
    if (table.dtype() == nb::dtype<std::uint8_t>()) return recode_to<std::uint8_t>(values, low, table, plain);
    if (table.dtype() == nb::dtype<std::uint16_t>()) return recode_to<std::uint16_t>(values, low, table, plain);
    throw nb::type_error("codes must be uint8 or uint16");
}

}  // namespace

void bind_stream(nb::module_& m) {
    nb::class_<MergerHandle>(m, "RowMerger")
        .def(nb::init<const std::vector<std::uint32_t>&, std::size_t>(), nb::arg("arities"), nb::arg("most"))
        .def("add", &MergerHandle::add, nb::arg("columns"), nb::arg("units").none(), nb::arg("n"))
        .def("rows", &MergerHandle::rows)
        .def("__len__", &MergerHandle::size);
    m.def("recode", &recode_values, nb::arg("values"), nb::arg("low"), nb::arg("table"), nb::arg("plain"));
}

}  // namespace graphoid
