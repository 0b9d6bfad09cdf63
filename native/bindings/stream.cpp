// What Python sees of data that stream past: values to codes, rows to distinct rows, and slices to the numbers of a test.
#include <cmath>
#include <stdexcept>

#include "bindings/bind.hpp"
#include "bindings/vectors.hpp"
#include "bindings/columns.hpp"
#include "counting/merge.hpp"
#include "counting/recode.hpp"
#include "tests/slice_tally.hpp"

namespace graphoid {
namespace {

class MergerHandle {
public:
    MergerHandle(const std::vector<std::uint32_t>& arities, std::size_t most)
        : n_variables_(arities.size()), merger_(arities, std::min<std::size_t>(most, 0xFFFFFFF0u)) {}

    bool add(nb::list columns, nb::object units, std::size_t n) {
        const Columns read = columns_of(columns, n_variables_, n);
        Array<std::int64_t> held;
        const std::int64_t* weights = weights_of(units, n, held);
        nb::gil_scoped_release free;
        return merger_.add(read.native, weights, n);
    }

    nb::tuple rows() const {
        return nb::make_tuple(owned(std::vector<Word>(merger_.keys())), owned(std::vector<std::int64_t>(merger_.units())));
    }
    std::size_t size() const { return merger_.size(); }

private:
    std::size_t n_variables_;
    RowMerger merger_;
};

class TallyHandle {
public:
    TallyHandle(const std::vector<std::uint32_t>& given, std::uint32_t rx, std::uint32_t ry, double unit, int kind, int dof,
                double log_prior, double pseudo_count, bool occurring, double rows)
        : arities_(with_pair(given, rx, ry)),
          tally_(given, rx, ry, unit, settings_of(kind, dof, log_prior, occurring), kind == static_cast<int>(Kind::bayesian) ? check_pseudo_count(pseudo_count) : 1.0,
                 rows) {}

    void add(nb::list columns, nb::object units, std::size_t n) {
        const Columns read = columns_of(columns, arities_.size(), n);
        const std::vector<Column>& native = read.native;
        Array<std::int64_t> held;
        const std::int64_t* weights = weights_of(units, n, held);
        nb::gil_scoped_release free;
        for (std::size_t v = arities_.size() - 2; v < arities_.size(); ++v)  // they say which cell is counted
            for (std::size_t i = 0; i < n; ++i)
                if (native[v][i] >= arities_[v]) throw std::out_of_range("a code is beyond the states");
        tally_.add(native, weights, n);
    }

    void close_part() {
        nb::gil_scoped_release free;
        tally_.close_part();
    }

    // statistic, dof, p, log p, log odds, cells
    nb::tuple end() {
        const Numbers a = tally_.end();
        return nb::make_tuple(a.statistic, a.dof, std::exp(a.log_p), a.log_p, a.log_odds, a.cells);
    }

private:
    static std::vector<std::uint32_t> with_pair(std::vector<std::uint32_t> arities, std::uint32_t rx, std::uint32_t ry) {
        arities.insert(arities.end(), {rx, ry});
        check_arities(arities);
        require(rx > 0 && ry > 0, "a variable of a test has states");
        room({rx, ry, sizeof(std::int64_t)});
        return arities;
    }

    std::vector<std::uint32_t> arities_;
    SliceTally tally_;
};

template <class Code, class Value>
nb::tuple recode_as(const Flat& values, std::int64_t low, const Flat& table, bool plain) {
    const std::size_t n = values.shape(0);
    auto codes = new_array<Code>({n});
    const std::size_t strangers = without_lock([&] { return recode(static_cast<const Value*>(values.data()), n, low, static_cast<const Code*>(table.data()),
                                          table.shape(0), plain, codes.data()); });
    return nb::make_tuple(codes, strangers);
}

template <class Code>
nb::tuple recode_to(const Flat& values, std::int64_t low, const Flat& table, bool plain) {
    const auto type = values.dtype();
    if (type == nb::dtype<std::int8_t>()) return recode_as<Code, std::int8_t>(values, low, table, plain);
    if (type == nb::dtype<std::uint8_t>()) return recode_as<Code, std::uint8_t>(values, low, table, plain);
    if (type == nb::dtype<std::int16_t>()) return recode_as<Code, std::int16_t>(values, low, table, plain);
    if (type == nb::dtype<std::uint16_t>()) return recode_as<Code, std::uint16_t>(values, low, table, plain);
    if (type == nb::dtype<std::int32_t>()) return recode_as<Code, std::int32_t>(values, low, table, plain);
    if (type == nb::dtype<std::uint32_t>()) return recode_as<Code, std::uint32_t>(values, low, table, plain);
    if (type == nb::dtype<std::int64_t>()) return recode_as<Code, std::int64_t>(values, low, table, plain);
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
    nb::class_<TallyHandle>(m, "SliceTally")
        .def(nb::init<const std::vector<std::uint32_t>&, std::uint32_t, std::uint32_t, double, int, int, double, double, bool, double>(),
             nb::arg("given"), nb::arg("rx"), nb::arg("ry"), nb::arg("unit"), nb::arg("kind"), nb::arg("dof"),
             nb::arg("log_prior"), nb::arg("pseudo_count"), nb::arg("occurring"), nb::arg("rows"))
        .def("add", &TallyHandle::add, nb::arg("columns"), nb::arg("units").none(), nb::arg("n"))
        .def("close_part", &TallyHandle::close_part)
        .def("end", &TallyHandle::end);
    m.def("recode", &recode_values, nb::arg("values"), nb::arg("low"), nb::arg("table"), nb::arg("plain"));
}

}  // namespace graphoid
