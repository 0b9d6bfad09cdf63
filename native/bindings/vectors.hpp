// Lists of Python's as vectors; nanobind's own reading of a list lets code that an element runs take the list away.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/detail/nb_list.h>

#include <vector>

namespace nanobind::detail {

template <class T>
struct type_caster<std::vector<T>> : list_caster<std::vector<T>, T> {
    bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
        using Base = list_caster<std::vector<T>, T>;
        if (!PyList_Check(source.ptr())) return Base::from_python(source, flags, cleanup);
        const object held = steal(PyList_AsTuple(source.ptr()));
        if (held.is_valid()) return Base::from_python(held, flags, cleanup);
        PyErr_Clear();
        return false;
    }
};

}  // namespace nanobind::detail
