// What the files that know both Python and the kernels (bindings.cpp, bind_*.cpp) share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace graphoid {

// A vector handed to NumPy without a copy.
template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> owned(std::vector<T>&& values) {
    auto* held = new std::vector<T>(std::move(values));
    nanobind::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(held->data(), {held->size()}, owner);
}

// One function a subject, defined in bind_<subject>.cpp and called by the module in bindings.cpp.
void bind_bounds(nanobind::module_& m);
void bind_chains(nanobind::module_& m);
void bind_climb(nanobind::module_& m);
void bind_conditional(nanobind::module_& m);
void bind_conditional_gibbs(nanobind::module_& m);
void bind_contexts(nanobind::module_& m);
void bind_gibbs(nanobind::module_& m);
void bind_knowledge(nanobind::module_& m);
void bind_mixture(nanobind::module_& m);
void bind_population(nanobind::module_& m);
void bind_pseudo_likelihood(nanobind::module_& m);
void bind_resamples(nanobind::module_& m);
void bind_stream(nanobind::module_& m);
void bind_submodels(nanobind::module_& m);

}  // namespace graphoid
