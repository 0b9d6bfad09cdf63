// What Python sees of dependence in contexts, and of the fewest contexts.
#include "tests/context_factors.hpp"

#include <cmath>

#include "bindings/bind.hpp"
#include "bindings/vectors.hpp"

namespace graphoid {
namespace {

using Words = Array<std::uint64_t>;

// The field of each variable; they lie side by side in 64 bits, the first variable in the highest.
std::vector<std::uint64_t> fields_of(const std::vector<int>& shifts) {
    require(shifts.size() <= 64, "64 variables or fewer are packed");
    std::vector<std::uint64_t> fields;
    int end = 64;
    for (const int shift : shifts) {
        require(shift >= 0 && shift < end, "fields of variables lie side by side, the first in the highest bits");
        const std::uint64_t below_end = end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
        fields.push_back(below_end & ~((std::uint64_t{1} << shift) - 1));
        end = shift;
    }
    return fields;
}

nb::tuple find_factors(Words codes, Array<double> rows, const std::vector<int>& shifts, const std::vector<int>& arities, int x, int y, Words near_x,
                       Words near_y, Words fields, Words contexts, Array<double> scales) {
    const std::size_t size = codes.shape(0), n = shifts.size(), n_contexts = fields.shape(0);
    PackedRows data{codes.data(), rows.data(), size, shifts, fields_of(shifts), arities};
    require(rows.shape(0) == size && near_x.shape(0) == size && near_y.shape(0) == size && contexts.shape(0) == n_contexts && arities.size() == n &&
                scales.shape(0) == n_scales,
            "codes, rows, neighbors, contexts and scales differ in length");
    const auto known = [n](int v) { return v >= 0 && static_cast<std::size_t>(v) < n; };
    require(known(x) && known(y) && x != y, "a pair has two different variables");
    require(size < std::size_t{1} << 31, "rows are numbered in 31 bits");
    for (std::size_t i = 0; i < size; ++i) require(rows.data()[i] > 0 && std::isfinite(rows.data()[i]), "each row stands for some");
    for (const int v : {x, y}) {
        require(arities[v] >= 1, "a variable has a state or more");
        for (std::size_t i = 0; i < size; ++i)
            require((codes.data()[i] & data.field[v]) >> shifts[v] < static_cast<std::uint64_t>(arities[v]), "a code is beyond the states of its variable");
    }
    const auto kx = static_cast<std::size_t>(arities[x]), ky = static_cast<std::size_t>(arities[y]);
    room({kx, kx, sizeof(double)}), room({ky, ky, sizeof(double)}), room({size, kx, ky, sizeof(double)});
    const ContextPair pair{x, y, near_x.data(), near_y.data()};
    const std::vector<ContextFactors> found = without_lock([&] { return context_factors(data, pair, fields.data(), contexts.data(), n_contexts, scales.data()); });
    constexpr std::size_t width = 6 + 3 * n_scales;
    auto numbers = new_array<double, 2>({n_contexts, width});
    std::vector<std::uint64_t> given;
    double* at = numbers.data();
    for (const ContextFactors& context : found) {
        given.push_back(context.given);
        for (const TableSums* sums : {&context.inside, &context.outside}) {
            *at++ = sums->statistic, *at++ = sums->dof, *at++ = sums->rows;
            at = std::copy(sums->factor, sums->factor + n_scales, at);
        }
        at = std::copy(context.one, context.one + n_scales, at);
    }
    return nb::make_tuple(owned(std::move(given)), numbers);
}

nb::tuple find_implicants(Words wanted, Words forbidden, const std::vector<int>& shifts, Array<std::uint8_t> covered) {
    require(covered.shape(0) == wanted.shape(0), "rows and whether they are covered differ in length");
    const std::vector<std::uint64_t> fields = fields_of(shifts);
    std::uint64_t all = 0;
    for (const std::uint64_t field : fields) all |= field;
    for (const Words* rows : {&wanted, &forbidden})
        for (std::size_t i = 0; i < rows->shape(0); ++i) require((rows->data()[i] & ~all) == 0, "a row has bits of no variable");
    std::vector<std::uint8_t> done(covered.data(), covered.data() + covered.shape(0));
    const std::vector<Implicant> found =
        without_lock([&] { return generalize(wanted.data(), wanted.shape(0), forbidden.data(), forbidden.shape(0), fields, done); });
    std::vector<std::int64_t> rows;
    std::vector<std::uint64_t> kept;
    for (const Implicant& implicant : found) rows.push_back(static_cast<std::int64_t>(implicant.row)), kept.push_back(implicant.fields);
    return nb::make_tuple(owned(std::move(rows)), owned(std::move(kept)));
}

}  // namespace

void bind_context_factors(nb::module_& m) {
    m.def("context_factors", &find_factors);
    m.def("generalize", &find_implicants);
}

}  // namespace graphoid
