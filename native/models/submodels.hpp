// Submodels on subsets of attributes, and what each says about the class beyond its own subsets. Tables have an axis for every
// attribute and the class last.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/faces.hpp"

namespace graphoid {

using Face = std::vector<std::int32_t>;

class Submodels {
public:
    explicit Submodels(Labeled rows);


    // What some faces of a face, given as bit masks of positions, add to the log score of each class. Every axis has one more
    // value, for levels that were not seen, about which nothing is said.
    std::vector<double> term(const Face& face, const std::vector<unsigned>& parts);

    // What counting a row itself adds to the potential of a face, in its own cell and class.
    std::vector<double> own_potential(const Face& face);

    // What a face tells about the class, in nats.
    double mutual_information(const Face& face);

private:
    struct Margin {
        std::vector<double> counts, logs;  // logs: of probabilities, the posterior mean
    };

    const Margin& margin(const Face& face);
    std::vector<std::uint32_t> sizes(const Face& face) const;

    // Adds up the tables of all subsets of a face, those with an odd number of members less with the opposite sign.
    template <class Table>
    std::vector<double> alternating(const Face& face, Table table);

    Labeled rows_;
    double n_ = 0.0;  // rows, by weight
    std::map<Face, Margin> margins_;
};

}  // namespace graphoid
