// The module: what has no subject of its own, and all that has.
#include <nanobind/stl/string.h>

#include <string>

#include "bindings/bind.hpp"
#include "bindings/vectors.hpp"
#include "counting/simd.hpp"
#include "tests/special.hpp"

using namespace graphoid;

namespace {

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
    room({n, sizeof(PyObject*)});
    nb::object held = nb::steal(PyList_New(static_cast<Py_ssize_t>(n)));
    if (!held.is_valid()) throw nb::python_error();
    nb::list out = nb::steal<nb::list>(held.release());
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
    for (Binding* bind : {bind_bounds, bind_climb, bind_communities, bind_conditional, bind_context_factors, bind_contexts, bind_dataset, bind_directed, bind_gaussian, bind_gibbs, bind_gibbs_conditional, bind_gibbs_multistate,
                          bind_knowledge, bind_limits, bind_mixture, bind_population, bind_pseudo_likelihood, bind_resamples, bind_stream, bind_submodels})
        bind(m);
    m.def("make_tuples", &make_tuples, nb::arg("type"), nb::arg("columns"), nb::arg("n"));
    m.def("log_chi2_sf", [](double x, double dof) {
        require(dof >= 0, "degrees of freedom are 0 or more");
        return log_chi2_sf(x, dof);
    }, nb::arg("x"), nb::arg("dof"));
    m.def("simd_names", [] {
        std::vector<std::string> names;
        for (const char* name : {"plain", "avx2", "avx512"})
            if (choose_simd(name) != nullptr) names.emplace_back(name);
        return names;
    });
}
