// What Python sees of a table in memory: counts, tests and terms of scores.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>

#include "bindings/columns.hpp"
#include "bindings/dataset.hpp"
#include "bindings/questions.hpp"
#include "bindings/vectors.hpp"
#include "counting/counts.hpp"
#include "counting/parallel.hpp"
#include "scores/blankets.hpp"
#include "tests/screen.hpp"

namespace graphoid {
namespace {

class DatasetHandle {
public:
    DatasetHandle(nb::list columns, const std::vector<std::uint32_t>& arities, std::size_t n_rows, nb::object units, double unit,
           const std::string& simd, const std::vector<std::uint32_t>& holes)
        : pseudo_counts_(units.is_none() ? std::min(n_rows, kMostTabulated) : kMostTabulated) {
        const Simd* chosen = choose_simd(simd.c_str());
        if (chosen == nullptr) throw nb::value_error(("this processor has no instruction set named " + simd).c_str());
        require(n_rows < std::size_t{1} << 32, "rows are numbered in 32 bits: there must be fewer than 4,294,967,296");
        check_arities(arities);
        columns_ = columns_of(columns, arities.size(), n_rows);
        for (const std::uint32_t v : holes) {
            require(v < arities.size(), "there is no such column to have holes");
            columns_.native[v].holes = holes_ = true;
        }
        for (std::size_t v = 0; v < arities.size(); ++v) {
            Column& column = columns_.native[v];
            column.arity = arities[v] + column.holes;
            // a code without a state would be counted outside the table
            if (!(column.narrow != nullptr ? all_below(column.narrow, n_rows, column.arity) : all_below(column.wide, n_rows, column.arity)))
                throw nb::value_error(("column " + std::to_string(v) + " has codes beyond its states").c_str());
        }
        data_ = std::make_unique<Dataset>(n_rows, columns_.native, weights_of(units, n_rows, units_), unit, chosen);
    }

    const char* simd() const { return data_->simd.name; }
    DatasetAccess access() { return {*data_, cache_}; }

    // Columns of numbers for a batch of questions; what the columns mean depends on the kind of test.
    nb::tuple judge(nb::list list, nb::dict index, nb::object resolve, int kind, int dof, double log_prior, double pseudo_count,
                    bool occurring, unsigned threads) {
        Questions questions(list, static_cast<int>(data_->columns.size()), index, resolve);
        const std::size_t n = questions.items_.size();
        Settings settings = settings_of(kind, dof, log_prior, occurring);
        std::vector<Numbers> numbers(n);
        without_lock([&] {
            if (settings.kind == Kind::bayesian) settings.rising = rising(pseudo_count);
            judge_batch(*data_, cache_, settings, questions.items_, threads, numbers.data());
        });
        const auto column = [&](auto number) {
            nb::list out = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(n)));
            for (std::size_t i = 0; i < n; ++i)
                PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), PyFloat_FromDouble(number(numbers[i])));
            return out;
        };
        return nb::make_tuple(questions.x, questions.y, questions.given,
                              column([](const Numbers& a) { return a.statistic; }), column([](const Numbers& a) { return a.dof; }),
                              column([](const Numbers& a) { return std::exp(a.log_p); }), column([](const Numbers& a) { return a.log_p; }),
                              column([](const Numbers& a) { return a.log_odds; }), column([](const Numbers& a) { return a.cells; }),
                              holes_ ? nb::object(column([](const Numbers& a) { return a.rows; })) : nb::none());
    }

    // All pairs of variables, or those in an array with a line x < y for each: the strongest partners of every variable with
    // their numbers, pairs within a limit with theirs, sums.
    nb::tuple screen(int kind, int dof, double log_prior, double pseudo_count, bool occurring, std::size_t partners, double limit,
                     bool totals, const std::vector<std::uint32_t>& rank, unsigned threads, nb::object only) {
        require(rank.size() == data_->columns.size(), "there must be a rank for every column");
        require(partners <= rank.size(), "a variable has no more partners than there are others");
        ScreenSettings settings{settings_of(kind, dof, log_prior, occurring), partners, limit, totals, rank.data()};
        const std::vector<Listed> listed = listed_pairs(only);
        if (!only.is_none()) settings.only = &listed;
        Screened found = without_lock([&] {
            if (settings.test.kind == Kind::bayesian) settings.test.rising = rising(pseudo_count);
            return screen_pairs(*data_, cache_, settings, threads);
        });
        return nb::make_tuple(owned(std::move(found.partner)), owned(std::move(found.strength)), owned(std::move(found.x)),
                              owned(std::move(found.y)), owned(std::move(found.value)), owned(std::move(found.total)));
    }

    // The numbers of a test from tables that were counted elsewhere: a line for each, its slices one after the other.
    nb::tuple judge_tables(int kind, int dof, double log_prior, double pseudo_count, bool occurring, std::uint32_t rx, std::uint32_t ry,
                           Array<std::uint32_t, 2> tables, unsigned threads) {
        const std::size_t n = tables.shape(0), size = std::size_t{rx} * ry;
        require(rx <= 65536 && ry <= 65536 && size > 0 && tables.shape(1) % size == 0, "tables have slices of rx times ry counts");
        Settings settings = settings_of(kind, dof, log_prior, occurring);
        const std::size_t slices = tables.shape(1) / size;
        std::vector<double> statistic(n), degrees(n), log_p(n), odds(n), cells(n);
        without_lock([&] {
            if (settings.kind == Kind::bayesian) settings.rising = rising(pseudo_count);
            const unsigned workers = n_workers(n, threads);
            std::vector<Judge> judges(workers, Judge(settings, data_->simd));
            in_parallel(n, workers, [&](std::size_t i, unsigned thread) {
                Judge& judge = judges[thread];
                judge.begin(rx, ry, static_cast<double>(slices), std::log(static_cast<double>(slices)));
                judge.slices(tables.data() + i * slices * size, slices);
                const Numbers found = judge.end();
                statistic[i] = found.statistic;
                degrees[i] = found.dof;
                log_p[i] = found.log_p;
                odds[i] = found.log_odds;
                cells[i] = found.cells;
            });
        });
        return nb::make_tuple(owned(std::move(statistic)), owned(std::move(degrees)), owned(std::move(log_p)), owned(std::move(odds)),
                              owned(std::move(cells)));
    }

    // Tables of tuples of variables, one after the other in one flat array.
    nb::object tables(nb::list requests, unsigned threads) {
        std::vector<TableJob> jobs;
        std::vector<std::size_t> at;
        const std::size_t total = table_jobs(requests, jobs, at);
        auto out = new_array<std::int64_t>({total});
        std::fill_n(out.data(), total, 0);
        count_into(out.data(), jobs, at, threads);
        return nb::cast(out);
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
        const nb::tuple held(requests);  // reading a position may run code that changes the list
        std::size_t total = 0;
        for (nb::handle item : held) {
            PyObject* request = item.ptr();
            if (!PyTuple_Check(request)) throw nb::type_error("a request must be a tuple of positions");
            TableJob job{};
            std::size_t cells = 1;
            for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(request); ++k) {
                const long v = PyLong_AsLong(PyTuple_GET_ITEM(request, k));
                if (v == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
                if (v < 0 || static_cast<std::size_t>(v) >= data_->columns.size()) throw nb::index_error("no such variable");
                job.variables.push_back(static_cast<int>(v));
                cells *= data_->columns[v].states();
                require(cells <= std::size_t{1} << 32, "the table is too large to be written out");
            }
            if (cells == 0) continue;  // a variable without states
            jobs.push_back(std::move(job));
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
        check(variables);
        Occurring found = without_lock([&] { return count_occurring(*data_, variables); });
        return nb::make_tuple(owned(std::move(found.codes)), owned(std::move(found.rows)), owned(std::move(found.counts)));
    }

    // Log odds of the closures of blankets: one line for each, as many numbers in it as there are variables.
    nb::object closures(nb::list blankets, double log_prior, double pseudo_count, bool occurring, unsigned threads) {
        return numbers_of(blankets, data_->columns.size(), [&](const std::vector<Blanket>& read, double* out) {
            Settings settings = settings_of(static_cast<int>(Kind::bayesian), 0, log_prior, occurring);
            settings.rising = rising(pseudo_count);
            closure_log_odds(*data_, cache_, settings, read, threads, out);
        });
    }

    nb::object marginal_likelihood(nb::list blankets, double ess, unsigned threads) {
        return numbers_of(blankets, 1, [&](const std::vector<Blanket>& read, double* out) {
            marginal_likelihoods(*data_, pseudo_counts_, ess, read, threads, out);
        });
    }

    // `scores`: for every column None, or numbers, one a row, of a variable without states.
    nb::object logistic(nb::list blankets, bool interactions, double price, double scale, bool moment,
                        std::vector<std::vector<double>> margins, nb::list scores, unsigned threads) {
        check_margins(margins);
        const nb::tuple listed(scores);  // looking at an array may run code that changes the list
        require(listed.size() == data_->columns.size(), "there must be scores, or None, for every column");
        std::vector<Array<double>> arrays(listed.size());
        std::vector<const double*> numbers(listed.size(), nullptr);
        for (std::size_t v = 0; v < listed.size(); ++v) {
            if (listed[v].is_none()) continue;
            if (!nb::try_cast(listed[v], arrays[v], false) || arrays[v].shape(0) != data_->n_rows)
                throw nb::type_error("scores must be a contiguous array with one number a row");
            numbers[v] = arrays[v].data();
        }
        return numbers_of(blankets, 1, [&](const std::vector<Blanket>& read, double* out) {
            logistic_terms(*data_, {interactions, price, scale, moment, std::move(margins), std::move(numbers)}, read, threads, out);
        });
    }

    nb::object evidence(nb::list blankets, bool interactions, double scale, bool moment, std::vector<std::vector<double>> margins,
                        double ess, unsigned threads) {
        check_margins(margins);
        return numbers_of(blankets, 2, [&](const std::vector<Blanket>& read, double* out) {
            const std::vector<const double*> no_numbers(data_->columns.size(), nullptr);
            evidence_terms(*data_, {interactions, 0, scale, moment, std::move(margins), no_numbers}, pseudo_counts_, ess, read, threads, out);
        });
    }

private:
    void check_margins(const std::vector<std::vector<double>>& margins) const {
        require(margins.size() == data_->columns.size(), "there must be margins for every column");
        for (std::size_t v = 0; v < margins.size(); ++v)
            require(margins[v].empty() || (margins[v].size() > 2 && margins[v].size() == data_->columns[v].states()),
                    "margins of ordered columns have a number for every state");
    }

    // What is computed of blankets, so many numbers for each, without the lock of the interpreter.
    template <class Compute>
    nb::object numbers_of(nb::list blankets, std::size_t each, Compute compute) {
        const std::vector<Blanket> read = read_blankets(blankets);
        std::vector<double> out(read.size() * each);
        without_lock([&] { compute(read, out.data()); });
        return nb::cast(owned(std::move(out)));
    }

    void check(const std::vector<int>& variables) const {
        for (const int v : variables)
            if (v < 0 || static_cast<std::size_t>(v) >= data_->columns.size()) throw nb::index_error("no such variable");
    }

    // Blankets from a list of (position, tuple of other positions in ascending order).
    std::vector<Blanket> read_blankets(nb::list blankets) const {
        const nb::tuple held(blankets);  // as above
        std::vector<Blanket> out;
        out.reserve(held.size());
        for (nb::handle item : held) {
            std::pair<int, std::vector<int>> blanket;
            if (!nb::try_cast(item, blanket)) throw nb::type_error("a blanket is a position and a tuple of other positions");
            auto& [x, members] = blanket;
            check({x});
            check(members);
            for (std::size_t i = 0; i < members.size(); ++i)
                if (members[i] == x || (i > 0 && members[i - 1] >= members[i]))
                    throw nb::value_error("a blanket has other variables, in ascending order");
            out.push_back({x, std::move(members)});
        }
        return out;
    }

    std::vector<Listed> listed_pairs(const nb::object& only) const {
        if (only.is_none()) return {};
        nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu> pairs;
        if (!nb::try_cast(only, pairs, false)) throw nb::type_error("pairs must be a contiguous array of 32 bits, a line for each");
        const auto n = static_cast<std::int32_t>(data_->columns.size());
        std::vector<Listed> out(pairs.shape(0));
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = {pairs.data()[2 * i], pairs.data()[2 * i + 1]};
            require(0 <= out[i].x && out[i].x < out[i].y && out[i].y < n, "a pair is two columns, in order");
        }
        return out;
    }

    const LogRising* rising(double base) {
        check_pseudo_count(base);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!rising_) rising_ = rising_tables(RisingTables::length_for(total_rows()));
        return &(*rising_)[base];
    }

    // Rows that the data stand for: distinct rows with their numbers are judged to the bit as the rows themselves.
    double total_rows() const {
        if (data_->units == nullptr) return static_cast<double>(data_->n_rows);
        std::uint64_t total = 0;  // without a sign: sums of hostile weights may wrap
        for (std::size_t i = 0; i < data_->n_rows; ++i) total += static_cast<std::uint64_t>(data_->units[i]);
        return static_cast<double>(static_cast<std::int64_t>(total)) * data_->unit;
    }

    bool holes_ = false;
    Columns columns_;  // with the arrays whose memory the data set borrows
    Array<std::int64_t> units_;
    std::unique_ptr<Dataset> data_;
    SliceCache cache_;
    std::mutex mutex_;
    std::shared_ptr<RisingTables> rising_;
    static constexpr std::size_t kMostTabulated = 16384;  // of counts: there are as many tables as sizes of blankets
    RisingTables pseudo_counts_;
};

}  // namespace

DatasetAccess dataset_of(nb::handle object) {
    DatasetHandle* handle = nullptr;
    if (!nb::try_cast(object, handle, false) || handle == nullptr) throw nb::type_error("the data must be a Dataset");
    return handle->access();
}

void bind_dataset(nb::module_& m) {
    nb::class_<DatasetHandle>(m, "Dataset")
        .def(nb::init<nb::list, const std::vector<std::uint32_t>&, std::size_t, nb::object, double, const std::string&,
                      const std::vector<std::uint32_t>&>(),
             nb::arg("columns"), nb::arg("arities"), nb::arg("n_rows"), nb::arg("units").none(), nb::arg("unit"),
             nb::arg("simd"), nb::arg("holes") = std::vector<std::uint32_t>())
        .def_prop_ro("simd", &DatasetHandle::simd)
        .def("judge", &DatasetHandle::judge)
        .def("screen", &DatasetHandle::screen, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg(), nb::arg().none() = nb::none())
        .def("judge_tables", &DatasetHandle::judge_tables)
        .def("tables", &DatasetHandle::tables)
        .def("add_tables", &DatasetHandle::add_tables)
        .def("occurring", &DatasetHandle::occurring)
        .def("closures", &DatasetHandle::closures)
        .def("marginal_likelihood", &DatasetHandle::marginal_likelihood)
        .def("logistic", &DatasetHandle::logistic)
        .def("evidence", &DatasetHandle::evidence);
}

}  // namespace graphoid
