// What rows say of two variables in contexts: whether they depend on each other there, and elsewhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphoid {

constexpr int n_scales = 8;

// Different rows with their codes packed: variable v has the bits of `field[v]`, from `shift[v]` on.
struct PackedRows {
    const std::uint64_t* codes;
    const double* rows;  // how often each occurs
    std::size_t size;
    std::vector<int> shift;
    std::vector<std::uint64_t> field;
    std::vector<int> arity;
};

// Two variables, with the neighbors that they have in the graph of every row, a bit a variable.
struct ContextPair {
    int x, y;
    const std::uint64_t *near_x, *near_y;
};

// G squared, its degrees of freedom, rows, and the log Bayes factor of dependence for every scale, summed over tables.
struct TableSums {
    double statistic = 0, dof = 0, rows = 0;
    double factor[n_scales] = {};
};

struct ContextFactors {
    std::uint64_t given;  // bits of the variables that separate the two in the context
    TableSums inside, outside;
    double one[n_scales];  // log Bayes factors of dependence in one of the tables inside, drawn as rows are
};

// For every context (the fields of its variables, and their codes) what is known of the two there, given the neighbors
// of that of the two which has fewer in any graph of the context.
std::vector<ContextFactors> context_factors(const PackedRows& data, const ContextPair& pair, const std::uint64_t* fields, const std::uint64_t* codes,
                                            std::size_t n_contexts, const double* scales);

// Prime implicants for the rows that none covers yet, one after the other: variables go, the last first, while none of the
// forbidden rows is covered. Rows and fields are packed with the first variable in the highest bits. Returns for each the row
// that it was made of and the fields it keeps; `covered` has the rows that it covers as well.
struct Implicant {
    std::size_t row;
    std::uint64_t fields;
};
std::vector<Implicant> generalize(const std::uint64_t* wanted, std::size_t n_wanted, const std::uint64_t* forbidden, std::size_t n_forbidden,
                                  const std::vector<std::uint64_t>& fields, std::vector<std::uint8_t>& covered);

}  // namespace graphoid
