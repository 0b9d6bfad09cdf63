// Questions of Python's, read into plain numbers.
#pragma once

#include <cstring>

#include "bindings/bind.hpp"
#include "tests/batch.hpp"

namespace graphoid {

// A list of questions (x, y, given) in both worlds: Python's objects to hand back, and plain numbers.
class Questions {
public:
    // `index` has the position of every name; `resolve` turns anything else (other integer types, sets) into
    // positions, or raises.
    Questions(nb::list questions, int n_variables, nb::dict index, nb::object resolve)
        : n_(n_variables), index_(index), seen_(n_variables, 0) {
        const nb::tuple held(questions);  // what resolves a question may change the list
        const std::size_t size = held.size();
        items_.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            PyObject* item = PyTuple_GET_ITEM(held.ptr(), static_cast<Py_ssize_t>(i));
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
        const nb::object held = held_tuple(item);
        if (!held.is_valid()) return false;
        const Py_ssize_t parts = PyTuple_GET_SIZE(held.ptr());
        if (parts != 2 && parts != 3) return false;
        PyObject** part = PySequence_Fast_ITEMS(held.ptr());
        ++stamp_;
        const int ix = fresh(part[0]), iy = ix < 0 ? -1 : fresh(part[1]);
        if (iy < 0) return false;
        const std::size_t before = flat_.size();
        nb::object others = parts == 3 ? read_given(part[2]) : nb::object(nb::make_tuple());
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

    // A tuple as it is, a list as a tuple, which nobody else can change; nothing for all else.
    static nb::object held_tuple(PyObject* object) {
        if (PyTuple_CheckExact(object)) return nb::borrow(object);
        return PyList_CheckExact(object) ? nb::steal(PyList_AsTuple(object)) : nb::object();
    }

    static void append(nb::list& list, PyObject* object, int position) {
        if (PyLong_CheckExact(object))
            list.append(nb::handle(object));
        else
            list.append(position);
    }

    // Takes the given variables; returns them as a tuple of positions, or nothing if one is unusual.
    nb::object read_given(PyObject* object) {
        const nb::object held = held_tuple(object);
        if (!held.is_valid()) return {};
        const std::size_t before = flat_.size();
        const Py_ssize_t size = PyTuple_GET_SIZE(held.ptr());
        bool as_it_is = true;
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyObject* variable = PyTuple_GET_ITEM(held.ptr(), i);
            const int v = fresh(variable);
            if (v < 0) return {};
            flat_.push_back(v);
            as_it_is = as_it_is && PyLong_CheckExact(variable);
        }
        if (as_it_is) return held;
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
        Py_ssize_t v = -1;
        if (PyLong_CheckExact(object))
            v = PyLong_AsLongAndOverflow(object, &overflow);
        else if (std::strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) == 0 && PyIndex_Check(object))
            v = PyNumber_AsSsize_t(object, PyExc_OverflowError);  // runs no code of the caller's
        if (PyErr_Occurred() != nullptr) PyErr_Clear();  // said better by whoever resolves it
        if (overflow != 0 || v < 0 || v >= n_ || seen_[v] == stamp_) return -1;
        seen_[v] = stamp_;
        return static_cast<int>(v);
    }

    Py_ssize_t n_;
    nb::dict index_;
    std::vector<int> flat_;
    std::vector<std::uint64_t> seen_;
    std::uint64_t stamp_ = 0;
};

}  // namespace graphoid
