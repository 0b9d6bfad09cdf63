// Communities of a weighted graph.
#include <cmath>

#include "bindings/bind.hpp"
#include "graphs/communities.hpp"

namespace graphoid {
namespace {

nb::object find_communities(std::size_t n, Array<std::int32_t> x, Array<std::int32_t> y, Array<double> weights) {
    const std::size_t size = x.shape(0);
    require(y.shape(0) == size && weights.shape(0) == size, "an edge has two ends and a weight");
    require(n <= std::size_t{1} << 31, "nodes are numbered in 31 bits");
    room({n, 128});
    std::vector<WeightedEdge> edges(size);
    for (std::size_t i = 0; i < size; ++i) {
        edges[i] = {x.data()[i], y.data()[i], weights.data()[i]};
        const auto &[a, b, weight] = edges[i];
        require(a >= 0 && b >= 0 && a != b && static_cast<std::size_t>(a) < n && static_cast<std::size_t>(b) < n, "an edge has two different nodes");
        require(weight > 0 && std::isfinite(weight), "weights are finite and above 0");
    }
    std::vector<std::int32_t> found = without_lock([&] { return communities(n, edges); });
    return nb::cast(owned(std::move(found)));
}

}  // namespace

void bind_communities(nb::module_& m) { m.def("communities", &find_communities); }

}  // namespace graphoid
