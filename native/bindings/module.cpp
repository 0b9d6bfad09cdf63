// What Python sees of counting, and the module; kernels of other subjects have a bind_*.cpp of their own.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/batch.hpp"
#include "bindings/bind.hpp"
#include "scores/blankets.hpp"
#include "counting/counts.hpp"
#include "counting/dataset.hpp"
#include "tests/special.hpp"

namespace nb = nanobind;
using namespace graphoid;

namespace {

using Longs = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

// A code without a state would be counted outside the table.
template <class Code>
bool beyond(const Code* codes, std::size_t n_rows, std::uint32_t arity) {
    Code largest = 0;
    for (std::size_t i = 0; i < n_rows; ++i) largest = std::max(largest, codes[i]);
    return n_rows > 0 && largest >= arity;
}

// A list of questions (x, y, given) in both worlds: Python's objects to hand back, and plain numbers.
class Questions {
public:
    // `index` has the position of every name; `resolve` turns anything else (other integer types, sets) into
    // positions, or raises.
    Questions(nb::list asked, int n_variables, nb::dict index, nb::object resolve)
        : n_(n_variables), index_(index), seen_(n_variables, 0) {
        const std::size_t size = asked.size();
        items_.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            PyObject* item = PyList_GET_ITEM(asked.ptr(), static_cast<Py_ssize_t>(i));
            if (!plain(item)) {
                nb::object resolved = resolve(nb::handle(item));
                if (!plain(resolved.ptr())) throw nb::value_error("a question could not be resolved");
            }
        }
        std::size_t at = 0;
        for (Question& q : items_) {
            q.given = flat_.data() + at;
            at += static_cast<std::size_t>(q.n_given);
        }
    }

    std::vector<Question> items_;
    nb::list x, y, given;

private:
    // Takes a question of two variables and a tuple or list of others, all different, by position or name.
    bool plain(PyObject* item) {
        if (!sequence(item)) return false;
        const Py_ssize_t parts = PySequence_Fast_GET_SIZE(item);
        if (parts != 2 && parts != 3) return false;
        PyObject** part = PySequence_Fast_ITEMS(item);
        ++stamp_;
        const int ix = fresh(part[0]), iy = ix < 0 ? -1 : fresh(part[1]);
        if (iy < 0) return false;
        const std::size_t before = flat_.size();
        nb::object others = parts == 3 ? taken(part[2]) : nb::object(nb::make_tuple());
        if (!others.is_valid()) {
            flat_.resize(before);
            return false;
        }
        items_.push_back({ix, iy, nullptr, static_cast<int>(flat_.size() - before)});
        append(x, part[0], ix);
        append(y, part[1], iy);
        given.append(others);
        return true;
    }

    static bool sequence(PyObject* object) { return PyTuple_CheckExact(object) || PyList_CheckExact(object); }

    static void append(nb::list& list, PyObject* object, int position) {
        if (PyLong_CheckExact(object))
            list.append(nb::handle(object));
        else
            list.append(position);
    }

    // Takes the given variables; returns them as a tuple of positions, or nothing if one is unusual.
    nb::object taken(PyObject* object) {
        if (!sequence(object)) return {};
        const std::size_t before = flat_.size();
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
        bool as_it_is = PyTuple_CheckExact(object);
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyObject* variable = PySequence_Fast_ITEMS(object)[i];
            const int v = fresh(variable);
            if (v < 0) return {};
            flat_.push_back(v);
            as_it_is = as_it_is && PyLong_CheckExact(variable);
        }
        if (as_it_is) return nb::borrow(object);
        nb::object out = nb::steal(PyTuple_New(size));
        for (Py_ssize_t i = 0; i < size; ++i)
            PyTuple_SET_ITEM(out.ptr(), i, PyLong_FromLong(flat_[before + static_cast<std::size_t>(i)]));
        return out;
    }

    // The position that the object stands for, if it was not yet named in this question; else -1.
    int fresh(PyObject* object) {
        if (PyUnicode_CheckExact(object)) {
            object = PyDict_GetItemWithError(index_.ptr(), object);
            if (object == nullptr) return -1;
        }
        int overflow = 0;
        long v = -1;
        if (PyLong_CheckExact(object))
            v = PyLong_AsLongAndOverflow(object, &overflow);
        else if (std::strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) == 0 && PyIndex_Check(object))
            v = static_cast<long>(PyNumber_AsSsize_t(object, PyExc_OverflowError));  // runs no code of the caller's
        if (PyErr_Occurred() != nullptr) PyErr_Clear();  // said better by whoever resolves it
        if (overflow != 0 || v < 0 || v >= n_ || seen_[v] == stamp_) return -1;
        seen_[v] = stamp_;
        return static_cast<int>(v);
    }

    long n_;
    nb::dict index_;
    std::vector<int> flat_;
    std::vector<std::uint64_t> seen_;
    std::uint64_t stamp_ = 0;
};

class Handle {
public:
    Handle(nb::list columns, const std::vector<std::uint32_t>& arities, std::size_t n_rows, nb::object units, double unit,
           const std::string& simd) {
        const Simd* chosen = choose_simd(simd.c_str());
        if (chosen == nullptr) throw nb::value_error(("this processor has no instruction set named " + simd).c_str());
        std::vector<Column> native;
        for (std::size_t v = 0; v < columns.size(); ++v) {
            Column column;
            column.arity = arities[v];
            nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
            // no conversion: it would be a copy that is gone when this loop is
            if (!nb::try_cast(columns[v], array, false) || array.shape(0) != n_rows)
                throw nb::type_error("a column must be a contiguous array with one code a row");
            if (array.dtype() == nb::dtype<std::uint8_t>())
                column.narrow = static_cast<const std::uint8_t*>(array.data());
            else if (array.dtype() == nb::dtype<std::uint16_t>())
                column.wide = static_cast<const std::uint16_t*>(array.data());
            else
                throw nb::type_error("codes must be uint8 or uint16");
            if (column.narrow != nullptr ? beyond(column.narrow, n_rows, column.arity) : beyond(column.wide, n_rows, column.arity))
                throw nb::value_error(("column " + std::to_string(v) + " has codes beyond its states").c_str());
            native.push_back(column);
            keep_.append(columns[v]);
        }
        const std::int64_t* weights = nullptr;
        if (!units.is_none()) {
            nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
            if (!nb::try_cast(units, array, false) || array.shape(0) != n_rows) throw nb::type_error("there must be one weight a row");
            weights = array.data();
            keep_.append(units);
        }
        data_ = std::make_unique<Dataset>(n_rows, std::move(native), weights, unit, chosen);
    }

    const char* simd() const { return data_->simd.name; }

    // Columns of numbers for a batch of questions; what the columns mean depends on the kind of test.
    nb::tuple judge(nb::list asked, nb::dict index, nb::object resolve, int kind, int dof, double log_prior, double pseudo_count,
                    bool occurring, unsigned threads) {
        Questions questions(asked, static_cast<int>(data_->columns.size()), index, resolve);
        const std::size_t n = questions.items_.size();
        Settings settings;
        settings.kind = static_cast<Kind>(kind);
        settings.dof = static_cast<Dof>(dof);
        settings.log_prior = log_prior;
        settings.occurring = occurring;
        std::vector<Numbers> numbers(n);
        {
            nb::gil_scoped_release free;
            if (settings.kind == Kind::bayesian) settings.rising = rising(pseudo_count);
            judge_batch(*data_, cache_, settings, questions.items_, threads, numbers.data());
        }
        const auto column = [&](auto number) {
            nb::list out = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(n)));
            for (std::size_t i = 0; i < n; ++i)
                PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), PyFloat_FromDouble(number(numbers[i])));
            return out;
        };
        return nb::make_tuple(questions.x, questions.y, questions.given,
                              column([](const Numbers& a) { return a.statistic; }), column([](const Numbers& a) { return a.dof; }),
                              column([](const Numbers& a) { return std::exp(a.log_p); }), column([](const Numbers& a) { return a.log_p; }),
                              column([](const Numbers& a) { return a.log_odds; }), column([](const Numbers& a) { return a.cells; }));
    }

    // Tables of tuples of variables, one after the other in one flat array.
    nb::object tables(nb::list requests, unsigned threads) {
        std::vector<TableJob> jobs;
        std::vector<std::size_t> at;
        const std::size_t total = table_jobs(requests, jobs, at);
        nb::list result;
        std::int64_t* out = new_array(total, result);
        std::fill_n(out, total, 0);
        count_into(out, jobs, at, threads);
        return result[0];
    }

    // The same, added to what an array has.
    void add_tables(nb::list requests, unsigned threads, nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> into) {
        std::vector<TableJob> jobs;
        std::vector<std::size_t> at;
        if (table_jobs(requests, jobs, at) != into.shape(0)) throw nb::value_error("the array must have one place a cell");
        count_into(into.data(), jobs, at, threads);
    }

    // What is to be counted and where its cells begin; returns how many cells there are.
    std::size_t table_jobs(const nb::list& requests, std::vector<TableJob>& jobs, std::vector<std::size_t>& at) const {
        jobs.resize(requests.size());
        std::size_t total = 0;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            PyObject* request = PyList_GET_ITEM(requests.ptr(), static_cast<Py_ssize_t>(i));
            if (!PyTuple_Check(request)) throw nb::type_error("a request must be a tuple of positions");
            std::size_t cells = 1;
            for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(request); ++k) {
                const long v = PyLong_AsLong(PyTuple_GET_ITEM(request, k));
                if (v < 0 || static_cast<std::size_t>(v) >= data_->columns.size()) throw nb::index_error("no such variable");
                jobs[i].variables.push_back(static_cast<int>(v));
                cells *= data_->columns[v].arity;
                if (cells > (std::size_t{1} << 32)) throw nb::value_error("the table is too large to be written out");
            }
            at.push_back(total);
            total += cells;
        }
        return total;
    }

    void count_into(std::int64_t* out, std::vector<TableJob>& jobs, const std::vector<std::size_t>& at, unsigned threads) {
        for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].out = out + at[i];
        nb::gil_scoped_release free;
        count_tables(*data_, jobs, threads);
    }

    // (codes, rows, counts) of the configurations that occur; codes or rows are empty.
    nb::tuple occurring(const std::vector<int>& variables) {
        checked(variables);
        Occurring found;
        {
            nb::gil_scoped_release free;
            found = count_occurring(*data_, variables);
        }
        return nb::make_tuple(owned(std::move(found.codes)), owned(std::move(found.rows)), owned(std::move(found.counts)));
    }

    // Log odds of the closures of blankets: one line for each, as many numbers in it as there are variables.
    nb::object closures(nb::list blankets, double log_prior, double pseudo_count, bool occurring, unsigned threads) {
        return numbers_of(blankets, data_->columns.size(), [&](const std::vector<Blanket>& read, double* out) {
            Settings settings;
            settings.kind = Kind::bayesian;
            settings.log_prior = log_prior;
            settings.occurring = occurring;
            settings.rising = rising(pseudo_count);
            closure_log_odds(*data_, cache_, settings, read, threads, out);
        });
    }

    nb::object marginal_likelihood(nb::list blankets, double ess, unsigned threads) {
        return numbers_of(blankets, 1, [&](const std::vector<Blanket>& read, double* out) {
            marginal_likelihoods(*data_, pseudo_counts_, ess, read, threads, out);
        });
    }

    nb::object logistic(nb::list blankets, bool interactions, double price, double scale, unsigned threads) {
        return numbers_of(blankets, 1, [&](const std::vector<Blanket>& read, double* out) {
            logistic_terms(*data_, {interactions, price, scale}, read, threads, out);
        });
    }

private:
    // What is computed of blankets, so many numbers for each, without the lock of the interpreter.
    template <class Compute>
    nb::object numbers_of(nb::list blankets, std::size_t each, Compute compute) {
        const std::vector<Blanket> read = read_blankets(blankets);
        std::vector<double> out(read.size() * each);
        {
            nb::gil_scoped_release free;
            compute(read, out.data());
        }
        return nb::cast(owned(std::move(out)));
    }

    // A new array of counts at the end of `arrays`; its memory, still to be filled.
    static std::int64_t* new_array(std::size_t cells, nb::list& arrays) {
        auto* memory = new std::int64_t[cells];
        nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); });
        arrays.append(nb::cast(Longs(memory, {cells}, owner)));
        return memory;
    }

    const std::vector<int>& checked(const std::vector<int>& variables) const {
        for (const int v : variables)
            if (v < 0 || static_cast<std::size_t>(v) >= data_->columns.size()) throw nb::index_error("no such variable");
        return variables;
    }

    // Blankets from a list of (position, tuple of other positions in ascending order).
    std::vector<Blanket> read_blankets(nb::list blankets) const {
        std::vector<Blanket> out;
        out.reserve(blankets.size());
        for (nb::handle item : blankets) {
            auto [x, members] = nb::cast<std::pair<int, std::vector<int>>>(item);
            checked({x});
            checked(members);
            for (std::size_t i = 0; i < members.size(); ++i)
                if (members[i] == x || (i > 0 && members[i - 1] >= members[i]))
                    throw nb::value_error("a blanket has other variables, in ascending order");
            out.push_back({x, std::move(members)});
        }
        return out;
    }

    const LogRising* rising(double base) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!rising_) rising_ = rising_tables(RisingTables::length_for(total_rows()));
        return &(*rising_)[base];
    }

    // Rows that the data stand for: distinct rows with their numbers are judged to the bit as the rows themselves.
    double total_rows() const {
        if (data_->units == nullptr) return static_cast<double>(data_->n_rows);
        std::int64_t total = 0;
        for (std::size_t i = 0; i < data_->n_rows; ++i) total += data_->units[i];
        return static_cast<double>(total) * data_->unit;
    }

    nb::list keep_;  // the arrays whose memory the data set borrows
    std::unique_ptr<Dataset> data_;
    SliceCache cache_;
    std::mutex mutex_;
    std::shared_ptr<RisingTables> rising_;
    RisingTables pseudo_counts_{16384};  // of which there are as many as sizes of blankets: a quarter of a megabyte each
};

// A list of objects of a class derived from tuple, one for each row of the columns. A column is a list, or one
// object for all rows. What zip() and a constructor do, in a third of the time.
nb::list make_tuples(nb::handle type, nb::tuple columns, std::size_t n) {
    auto* cls = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (!PyType_Check(type.ptr()) || !PyType_IsSubtype(cls, &PyTuple_Type)) throw nb::type_error("not a kind of tuple");
    const auto width = static_cast<Py_ssize_t>(columns.size());
    for (Py_ssize_t c = 0; c < width; ++c) {
        PyObject* column = PyTuple_GET_ITEM(columns.ptr(), c);
        if (PyList_CheckExact(column) && PyList_GET_SIZE(column) != static_cast<Py_ssize_t>(n)) throw nb::value_error("columns differ in length");
    }
    nb::list out = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(n)));
    for (std::size_t i = 0; i < n; ++i) {
        PyObject* row = cls->tp_alloc(cls, width);
        if (row == nullptr) throw nb::python_error();
        for (Py_ssize_t c = 0; c < width; ++c) {
            PyObject* column = PyTuple_GET_ITEM(columns.ptr(), c);
            PyObject* item = PyList_CheckExact(column) ? PyList_GET_ITEM(column, static_cast<Py_ssize_t>(i)) : column;
            Py_INCREF(item);
            PyTuple_SET_ITEM(row, c, item);
        }
        // Rows hold numbers, strings and tuples of numbers: no cycles for the garbage collector to look for.
        PyObject_GC_UnTrack(row);
        PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), row);
    }
    return out;
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Counting kernels of graphoid.";
    nb::class_<Handle>(m, "Dataset")
        .def(nb::init<nb::list, const std::vector<std::uint32_t>&, std::size_t, nb::object, double, const std::string&>(),
             nb::arg("columns"), nb::arg("arities"), nb::arg("n_rows"), nb::arg("units").none(), nb::arg("unit"),
             nb::arg("simd"))
        .def_prop_ro("simd", &Handle::simd)
        .def("judge", &Handle::judge)
        .def("tables", &Handle::tables)
        .def("add_tables", &Handle::add_tables)
        .def("occurring", &Handle::occurring)
        .def("closures", &Handle::closures)
        .def("marginal_likelihood", &Handle::marginal_likelihood)
        .def("logistic", &Handle::logistic);
    bind_bounds(m);
    bind_chains(m);
    bind_climb(m);
    bind_conditional(m);
    bind_conditional_gibbs(m);
    bind_contexts(m);
    bind_gibbs(m);
    bind_knowledge(m);
    bind_mixture(m);
    bind_population(m);
    bind_pseudo_likelihood(m);
    bind_resamples(m);
    bind_stream(m);
    bind_submodels(m);
    m.def("make_tuples", &make_tuples, nb::arg("type"), nb::arg("columns"), nb::arg("n"));
    m.def("log_chi2_sf", &log_chi2_sf, nb::arg("x"), nb::arg("dof"));
    m.def("simd_names", [] {
        std::vector<std::string> names;
        for (const char* name : {"plain", "avx2", "avx512"})
            if (choose_simd(name) != nullptr) names.emplace_back(name);
        return names;
    });
}
