// Communities of a weighted graph by greedy modularity (Clauset, Newman and Moore 2004).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphoid {

struct WeightedEdge {
    std::int32_t x, y;  // two different nodes
    double weight;
};

// Of every node the community that it ends in. The two communities are joined whose modularity grows most, of equals the
// first by position, for as long as it does not fall.
std::vector<std::int32_t> communities(std::size_t n, const std::vector<WeightedEdge>& edges);

}  // namespace graphoid
