// What Python sees of data that stream past: values to codes, rows to distinct rows, and slices to the numbers of a test.
#include <cmath>
#include <stdexcept>

#include "bindings/bind.hpp"
#include "bindings/vectors.hpp"
#include "bindings/columns.hpp"
#include "counting/merge.hpp"
#include "counting/recode.hpp"
#include "tests/packed_tally.hpp"
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

// statistic, dof, p, log p, log odds, cells
nb::tuple listed(const Numbers& a) {
    return nb::make_tuple(a.statistic, a.dof, std::exp(a.log_p), a.log_p, a.log_odds, a.cells);
}

double pseudo_count_of(int kind, double pseudo_count) {
    return kind == static_cast<int>(Kind::bayesian) ? check_pseudo_count(pseudo_count) : 1.0;
}

class TallyHandle {
public:
    TallyHandle(const std::vector<std::uint32_t>& given, std::uint32_t rx, std::uint32_t ry, double unit, int kind, int dof,
                double log_prior, double pseudo_count, bool occurring, double rows)
        : arities_(with_pair(given, rx, ry)),
          tally_(given, rx, ry, unit, settings_of(kind, dof, log_prior, occurring), pseudo_count_of(kind, pseudo_count), rows) {}

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

    nb::tuple end() { return listed(tally_.end()); }

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

class PackedTallyHandle {
public:
    PackedTallyHandle(const std::vector<std::uint32_t>& arities, const std::vector<std::uint32_t>& order, int kind, int dof, double log_prior,
                      double pseudo_count, bool occurring, std::size_t rows, std::size_t held)
        : n_words_(check(arities, order, rows, held)),
          tally_(arities, order, settings_of(kind, dof, log_prior, occurring), pseudo_count_of(kind, pseudo_count), rows, held) {}

    std::size_t n_parts() const { return tally_.n_parts(); }

    void add(nb::ndarray<const Word, nb::ndim<2>, nb::device::cpu> words, nb::object units) {
        require(words.shape(0) == n_words_, "there must be as many words as a row has");
        require(n_closed_ < tally_.n_parts(), "all parts are complete");
        const PackedBlock rows{words.data(), words.stride(0), words.stride(1), words.shape(1)};
        Array<std::int64_t> held;
        const std::int64_t* weights = weights_of(units, rows.n, held);
        nb::gil_scoped_release free;
        if (!tally_.add(rows, weights)) throw std::out_of_range("a code is beyond the states");
    }

    void close_part() {
        require(n_closed_ < tally_.n_parts(), "all parts are complete");
        ++n_closed_;
        nb::gil_scoped_release free;
        tally_.close_part();
    }
    nb::tuple end() { return listed(tally_.end()); }

private:
    static std::size_t check(const std::vector<std::uint32_t>& arities, const std::vector<std::uint32_t>& order, std::size_t rows,
                             std::size_t held) {
        check_arities(arities);
        require(order.size() >= 2 && all_below(order.data(), order.size(), arities.size()), "a test has two of the variables");
        require(rows < std::size_t{1} << 32, "there are fewer than 2^32 rows");
        require(held > 0 && held <= std::size_t{1} << 28, "1 to 2^28 numbers are held");
        double cells = 1;
        for (const std::uint32_t v : order) cells *= arities[v];
        require(cells > 0 && cells <= 0x1p60, "a table has 1 to 2^60 cells");
        room({arities[order[order.size() - 2]], arities[order.back()], sizeof(std::uint32_t)});
        return places_of(arities).back().word + 1;
    }

    std::size_t n_words_, n_closed_ = 0;
    PackedTally tally_;
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
    nb::class_<PackedTallyHandle>(m, "PackedTally")
        .def(nb::init<const std::vector<std::uint32_t>&, const std::vector<std::uint32_t>&, int, int, double, double, bool, std::size_t, std::size_t>(),
             nb::arg("arities"), nb::arg("order"), nb::arg("kind"), nb::arg("dof"), nb::arg("log_prior"), nb::arg("pseudo_count"),
             nb::arg("occurring"), nb::arg("rows"), nb::arg("held"))
        .def("n_parts", &PackedTallyHandle::n_parts)
        .def("add", &PackedTallyHandle::add, nb::arg("words"), nb::arg("units").none())
        .def("close_part", &PackedTallyHandle::close_part)
        .def("end", &PackedTallyHandle::end);
    m.def("recode", &recode_values, nb::arg("values"), nb::arg("low"), nb::arg("table"), nb::arg("plain"));
}

}  // namespace graphoid
