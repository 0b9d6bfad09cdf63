// What the files that know both Python and the kernels share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "counting/limits.hpp"
#include "counting/platform.hpp"

namespace graphoid {

namespace nb = nanobind;

// An array of NumPy's that is read in place.
template <class T, std::size_t N = 1>
using Array = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// What a kernel takes on trust is looked at before, once, in passes over what came in.
inline void require(bool holds, const char* otherwise) {
    if (!holds) throw nb::value_error(otherwise);
}

// Whether all of `n` values are 0 ... limit - 1.
template <class T>
bool all_below(const T* values, std::size_t n, std::size_t limit) {
    T least = 0, most = 0;
    for (std::size_t i = 0; i < n; ++i) least = std::min(least, values[i]), most = std::max(most, values[i]);
    return n == 0 || (least >= T{0} && static_cast<std::uint64_t>(most) < limit);
}

template <class... Of>
bool all_below(const nb::ndarray<Of...>& values, std::size_t limit) {
    return all_below(values.data(), values.size(), limit);
}

// Whether `first` says of `parts` parts where each begins among `size` things, and at last where all of them end.
template <class T>
bool divides(const Array<T>& first, std::size_t parts, std::size_t size) {
    const T* at = first.data();
    return first.shape(0) == parts + 1 && at[0] >= 0 && static_cast<std::uint64_t>(at[parts]) <= size && std::is_sorted(at, at + parts + 1);
}

// As many parts as an array of where they begin has.
template <class T>
std::size_t n_parts(const Array<T>& first) {
    require(first.shape(0) > 0, "where parts begin also says where the last one ends: one number more than there are parts");
    return first.shape(0) - 1;
}

// The product of some numbers, which are refused where the machine has no memory for so many bytes.
inline std::size_t room(std::initializer_list<std::size_t> numbers) {
    const auto most = static_cast<double>(most_memory.load());
    double product = 1;
    std::size_t size = 1;
    for (const std::size_t number : numbers) product *= static_cast<double>(number), size *= number;
    require(product < most, "what is asked for is larger than the memory of this machine, or than GRAPHOID_MEMORY");
    return size;
}

// What `work` returns, which neither reads nor makes objects of Python's.
template <class Work>
auto without_lock(Work work) {
    nb::gil_scoped_release released;
    return work();
}

// A new array for NumPy, still to be filled.
template <class T, std::size_t N = 1>
nb::ndarray<nb::numpy, T, nb::ndim<N>> new_array(const std::array<std::size_t, N>& shape) {
    std::size_t size = 1;
    for (const std::size_t length : shape) size = room({size, length});
    auto* memory = new T[room({size, sizeof(T)}) / sizeof(T)];
    nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {memory, N, shape.data(), owner};
}

// A vector handed to NumPy without a copy.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> owned(std::vector<T>&& values) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(held->data(), {held->size()}, owner);
}

// One function a subject, defined in <subject>.cpp and called by the module.
using Binding = void(nb::module_& m);
Binding bind_bounds, bind_climb, bind_communities, bind_conditional, bind_context_factors, bind_contexts, bind_dataset, bind_directed, bind_gaussian, bind_gibbs, bind_gibbs_conditional, bind_gibbs_multistate,
    bind_knowledge, bind_limits, bind_mixture, bind_population, bind_pseudo_likelihood, bind_resamples, bind_stream, bind_submodels;

}  // namespace graphoid
