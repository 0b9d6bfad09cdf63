// What the files that know both Python and the kernels share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <utility>
#include <vector>

namespace graphoid {

// An array of NumPy's that is read in place.
template <class T, std::size_t N = 1>
using Array = nanobind::ndarray<const T, nanobind::ndim<N>, nanobind::c_contig, nanobind::device::cpu>;

// A new array for NumPy, still to be filled.
template <class T, std::size_t N = 1>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<N>> new_array(const std::array<std::size_t, N>& shape) {
    std::size_t size = 1;
    for (const std::size_t length : shape) size *= length;
    auto* memory = new T[size];
    nanobind::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {memory, N, shape.data(), owner};
}

// A vector handed to NumPy without a copy.
template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> owned(std::vector<T>&& values) {
    auto* held = new std::vector<T>(std::move(values));
    nanobind::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(held->data(), {held->size()}, owner);
}

// One function a subject, defined in <subject>.cpp and called by the module.
void bind_bounds(nanobind::module_& m);
void bind_gibbs_multistate(nanobind::module_& m);
void bind_climb(nanobind::module_& m);
void bind_conditional(nanobind::module_& m);
void bind_gibbs_conditional(nanobind::module_& m);
void bind_contexts(nanobind::module_& m);
void bind_dataset(nanobind::module_& m);
void bind_gibbs(nanobind::module_& m);
void bind_knowledge(nanobind::module_& m);
void bind_mixture(nanobind::module_& m);
void bind_population(nanobind::module_& m);
void bind_pseudo_likelihood(nanobind::module_& m);
void bind_resamples(nanobind::module_& m);
void bind_stream(nanobind::module_& m);
void bind_submodels(nanobind::module_& m);

}  // namespace graphoid
