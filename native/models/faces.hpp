// Faces, which are sets of attributes, and the cells of their tables; the last attribute counts fastest.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphoid {

constexpr std::size_t block = 512;  // rows whose cells are found at a time: 2 KiB

// Coded rows and their classes; the arrays belong to someone else. Rows without weights count once.
struct Labeled {
    std::size_t n_rows;
    std::vector<const std::uint16_t*> columns;
    std::vector<std::uint32_t> sizes;
    const std::uint16_t* classes;
    std::uint32_t n_classes;
    const double* weights;
    double theta;

    double weight(std::size_t i) const { return weights != nullptr ? weights[i] : 1.0; }

    std::size_t n_cells(const std::int32_t* face, std::size_t size) const {
        std::size_t cells = 1;
        for (std::size_t j = 0; j < size; ++j) cells *= sizes[face[j]];
        return cells;
    }

    // Which cell of a face each of `n` rows is in.
    void cells(const std::int32_t* face, std::size_t size, std::size_t first, std::size_t n, std::uint32_t* at) const {
        std::fill(at, at + n, 0u);
        for (std::size_t j = 0; j < size; ++j) {
            const std::uint16_t* column = columns[face[j]] + first;
            const std::uint32_t arity = sizes[face[j]];
            for (std::size_t i = 0; i < n; ++i) at[i] = at[i] * arity + column[i];
        }
    }

    // How many rows, by weight, are in each cell and class; `kept`, unless null, gets the cell of every row.
    std::vector<double> counts(const std::int32_t* face, std::size_t size, std::uint16_t* kept = nullptr) const {
        std::vector<double> counts(n_cells(face, size) * n_classes);
        std::uint32_t at[block];
        for (std::size_t first = 0; first < n_rows; first += block) {
            const std::size_t n = std::min(block, n_rows - first);
            cells(face, size, first, n, at);
            if (kept != nullptr) std::copy_n(at, n, kept + first);
            for (std::size_t i = 0; i < n; ++i) at[i] = at[i] * n_classes + classes[first + i];
            if (weights == nullptr)
                for (std::size_t i = 0; i < n; ++i) counts[at[i]] += 1.0;
            else
                for (std::size_t i = 0; i < n; ++i) counts[at[i]] += weights[first + i];
        }
        return counts;
    }
};

// The subsets of `size` positions as bit masks, smaller ones first, those of a size in lexicographic order.
inline std::vector<unsigned> subsets(std::size_t size) {
    std::vector<unsigned> all;
    for (std::size_t k = 0; k <= size; ++k) {
        std::vector<std::size_t> chosen(k);
        for (std::size_t i = 0; i < k; ++i) chosen[i] = i;
        while (true) {
            unsigned mask = 0;
            for (std::size_t i : chosen) mask |= 1u << i;
            all.push_back(mask);
            std::size_t i = k;
            while (i > 0 && chosen[i - 1] == size - k + i - 1) --i;
            if (i == 0) break;
            ++chosen[i - 1];
            for (std::size_t j = i; j < k; ++j) chosen[j] = chosen[j - 1] + 1;
        }
    }
    return all;
}

// For every cell of a table with these `sizes`, the cell of the table over the positions in `mask` alone. Returns how many
// cells that one has.
inline std::size_t project(const std::vector<std::uint32_t>& sizes, unsigned mask, std::vector<std::uint32_t>& into) {
    into.assign(1, 0u);
    std::size_t n_cells = 1, n_kept = 1;
    for (std::size_t j = 0; j < sizes.size(); ++j) n_cells *= sizes[j];
    into.reserve(n_cells);
    // from the last axis, which counts fastest, to the first: what is there is repeated for each value
    for (std::size_t j = sizes.size(); j-- > 0;) {
        const std::size_t inner = into.size();
        const std::uint32_t step = (mask >> j & 1u) != 0 ? static_cast<std::uint32_t>(n_kept) : 0u;
        into.resize(inner * sizes[j]);
        for (std::uint32_t value = 1; value < sizes[j]; ++value)
            for (std::size_t cell = 0; cell < inner; ++cell) into[value * inner + cell] = into[cell] + value * step;
        if (step != 0) n_kept *= sizes[j];
    }
    return n_kept;
}

}  // namespace graphoid
