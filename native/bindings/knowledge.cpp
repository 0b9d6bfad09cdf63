// What Python sees of inference from answers.
#include <string>

#include "bindings/bind.hpp"
#include "graphs/knowledge.hpp"

namespace graphoid {
namespace {

// What follows from the answers so far, as verdicts; see logic/axioms.py. Facts are (x, y, mask of given, independent).
class Inference {
public:
    // `numbers`: what an inferred verdict has from the fifth field on, up to its source. `answers`: where verdicts are kept.
    Inference(int n, nb::object verdict, nb::object fact, nb::tuple rules, nb::tuple numbers, nb::object answers)
        : known_(check_number(n)), given_(known_.words()), verdict_(verdict), fact_(fact), rules_(rules), numbers_(numbers),
          answers_(answers) {
        for (const nb::object& type : {verdict_, fact_})
            if (!PyType_Check(type.ptr()) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), &PyTuple_Type))
                throw nb::type_error("not a kind of tuple");
        if (rules_.size() != 4) throw nb::value_error("there are four rules");
    }

    // A verdict; None if nothing follows; False if these are not two positions and a tuple of others.
    nb::object answer(nb::handle x, nb::handle y, nb::handle given) {
        int px, py;
        if (!plain(x, px) || !plain(y, py) || !read(px, py, given)) return nb::borrow(Py_False);
        const Step step = known_.infer(px, py, given_.data());
        if (step.rule == no_rule) return nb::none();
        nb::object because = nb::steal(PyTuple_New(step.second < 0 ? 1 : 2));
        PyTuple_SET_ITEM(because.ptr(), 0, fact(step.first).release().ptr());
        if (step.second >= 0) PyTuple_SET_ITEM(because.ptr(), 1, fact(step.second).release().ptr());
        const int said = known_.fact(step.first).verdict;
        nb::object numbers = numbers_;
        Py_ssize_t from = 0;
        if (step.repeats && said >= 0) {
            numbers = nb::steal(PySequence_GetItem(answers_.ptr(), said));
            if (!numbers.is_valid()) throw nb::python_error();
            from = 4;
        }
        const auto n_numbers = static_cast<Py_ssize_t>(numbers_.size());
        if (!PyTuple_Check(numbers.ptr()) || PyTuple_GET_SIZE(numbers.ptr()) < from + n_numbers)
            throw nb::value_error("a verdict is too short");
        const bool independent = step.rule == i_su || step.rule == i_triangle;
        nb::object out = new_tuple(verdict_, n_numbers + 6);
        put(out, 0, x), put(out, 1, y), put(out, 2, given), put(out, 3, nb::handle(independent ? Py_True : Py_False));
        for (Py_ssize_t i = 0; i < n_numbers; ++i) put(out, 4 + i, nb::handle(PyTuple_GET_ITEM(numbers.ptr(), from + i)));
        put(out, 4 + n_numbers, rules_[static_cast<std::size_t>(step.rule)]), put(out, 5 + n_numbers, because);
        return out;
    }

    void remember(nb::list verdicts) {
        const nb::tuple held(verdicts);  // asking an answer for its truth may run code that changes the list
        int number = n_answers_;
        answers_ += held;
        n_answers_ += static_cast<int>(held.size());
        for (nb::handle item : held) {
            PyObject* verdict = item.ptr();
            int x, y;
            if (!PyTuple_Check(verdict) || PyTuple_GET_SIZE(verdict) < 4 || !plain(PyTuple_GET_ITEM(verdict, 0), x) ||
                !plain(PyTuple_GET_ITEM(verdict, 1), y) || !read(x, y, PyTuple_GET_ITEM(verdict, 2)))
                throw nb::value_error("a source must answer with positions: (x, y, given, independent, ...), given a tuple");
            const int independent = PyObject_IsTrue(PyTuple_GET_ITEM(verdict, 3));
            if (independent < 0) throw nb::python_error();
            known_.add(x, y, given_.data(), independent != 0, number++);
        }
    }

    nb::list facts() {
        nb::list out;
        for (std::size_t i = 0; i < known_.size(); ++i) out.append(fact(static_cast<int>(i)));
        return out;
    }

private:
    static int check_number(int n) {
        require(n >= 0, "there cannot be fewer than no variables");
        room({static_cast<std::size_t>(n), static_cast<std::size_t>(n), 4 * sizeof(int)});
        return n;
    }

    bool plain(nb::handle item, int& position) const {
        if (!PyLong_CheckExact(item.ptr())) return false;
        int overflow = 0;
        const long value = PyLong_AsLongAndOverflow(item.ptr(), &overflow);
        position = static_cast<int>(value);
        return !overflow && value >= 0 && value < known_.n();
    }

    // The mask of `given` into given_; false unless all are different positions.
    bool read(int x, int y, nb::handle given) {
        if (x == y || !PyTuple_CheckExact(given.ptr())) return false;
        std::fill(given_.begin(), given_.end(), Word{0});
        for (Py_ssize_t i = 0, size = PyTuple_GET_SIZE(given.ptr()); i < size; ++i) {
            int z;
            if (!plain(PyTuple_GET_ITEM(given.ptr(), i), z) || z == x || z == y) return false;
            const Word bit = Word{1} << z % 64;
            if (given_[z / 64] & bit) return false;
            given_[z / 64] |= bit;
        }
        return true;
    }

    nb::object fact(int i) const {
        const Fact& known = known_.fact(i);
        nb::object out = new_tuple(fact_, 4);
        PyTuple_SET_ITEM(out.ptr(), 0, PyLong_FromLong(known.x));
        PyTuple_SET_ITEM(out.ptr(), 1, PyLong_FromLong(known.y));
        PyTuple_SET_ITEM(out.ptr(), 2, integer(known_.set(i)));
        put(out, 3, nb::handle(known.independent ? Py_True : Py_False));
        return out;
    }

    PyObject* integer(const Word* words) const {
        if (known_.words() == 1) return PyLong_FromUnsignedLongLong(words[0]);
        std::string digits;  // base 16 is read in linear time
        for (std::size_t k = known_.words(); k-- > 0;)
            for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[words[k] >> shift & 15];
        return PyLong_FromString(digits.c_str(), nullptr, 16);
    }

    static nb::object new_tuple(const nb::object& type, Py_ssize_t width) {
        auto* cls = reinterpret_cast<PyTypeObject*>(type.ptr());
        PyObject* out = cls->tp_alloc(cls, width);
        if (out == nullptr) throw nb::python_error();
        return nb::steal(out);
    }

    static void put(const nb::object& row, Py_ssize_t i, nb::handle item) {
        Py_INCREF(item.ptr());
        PyTuple_SET_ITEM(row.ptr(), i, item.ptr());
    }

    Knowledge known_;
    std::vector<Word> given_;
    nb::object verdict_, fact_;
    nb::tuple rules_, numbers_;
    nb::object answers_;
    int n_answers_ = 0;
};

}  // namespace

void bind_knowledge(nb::module_& m) {
    nb::class_<Inference>(m, "Inference")
        .def(nb::init<int, nb::object, nb::object, nb::tuple, nb::tuple, nb::object>())
        .def("answer", &Inference::answer)
        .def("remember", &Inference::remember)
        .def("facts", &Inference::facts);
}

}  // namespace graphoid
