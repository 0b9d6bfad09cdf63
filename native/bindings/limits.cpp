// Who knows of time and of Ctrl-C, how much memory there is, and what is raised where that does not do.
#include <nanobind/nanobind.h>

#include <exception>

#include "bindings/bind.hpp"
#include "counting/limits.hpp"

namespace nb = nanobind;

namespace graphoid {
namespace {

PyObject* listener = nullptr;  // kept as long as the module

// Signals are heard in the main thread; what another thread was sent is raised when it runs Python, as it does here.
void poll_python() {
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!nb::steal(PyObject_CallNoArgs(listener)).is_valid()) throw nb::python_error();
}

}  // namespace

void bind_limits(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const TooLarge& e) {
            PyErr_SetObject(PyExc_MemoryError, nb::make_tuple(e.item, e.bytes).ptr());
        }
    });
    m.def("set_poll", [](nb::callable check) {
        Py_XSETREF(listener, check.release().ptr());
        poll = poll_python;
    }, nb::arg("check"));
    const auto all = static_cast<std::size_t>(std::min(physical_memory(), 0x1p62));
    most_memory = all;
    m.def("set_memory", [all](std::size_t bytes) { most_memory = std::min(bytes, all); }, nb::arg("bytes"));
}

}  // namespace graphoid
