// What Python sees of independence in contexts.
#include <memory>
#include <numeric>

#include "bindings/columns.hpp"
#include "bindings/vectors.hpp"
#include "tests/contexts.hpp"

namespace graphoid {
namespace {

// Distinct assignments, how often each was seen, and the test that judges them.
class Contexts {
public:
    // `codes` has a line for each variable.
    Contexts(Array<std::uint16_t, 2> codes, const std::vector<std::uint32_t>& arities, Array<std::int64_t> units, double unit, int kind, double log_prior,
             double pseudo_count)
        : codes_(codes.data(), codes.data() + codes.size()), units_(units.data(), units.data() + units.size()) {
        const std::size_t n = codes.shape(0), size = codes.shape(1);
        if (arities.size() != n || units.shape(0) != size) throw nb::value_error("arities, codes and units differ in length");
        check_arities(arities);
        // One byte a code where that is enough: the vector loops are made for it.
        narrow_.assign(codes_.begin(), codes_.end());
        std::vector<Column> columns(n);
        for (std::size_t v = 0; v < n; ++v) {
            columns[v].arity = arities[v];
            require(all_below(codes_.data() + v * size, size, arities[v]), "a code is beyond the states of its variable");
            if (arities[v] <= 256)
                columns[v].narrow = narrow_.data() + v * size;
            else
                columns[v].wide = codes_.data() + v * size;
        }
        data_ = std::make_unique<Dataset>(size, std::move(columns), units_.data(), unit, choose_simd(""));
        settings_ = settings_of(kind, static_cast<int>(Dof::adjusted), log_prior, settings_.occurring);
        if (settings_.kind == Kind::bayesian) {
            constexpr double longest = 1 << 21;  // 32 MB; larger counts are computed one by one
            const double total = std::accumulate(units_.begin(), units_.end(), 0.0) * unit;
            rising_ = std::make_unique<LogRising>(check_pseudo_count(pseudo_count), static_cast<std::size_t>(std::max(0.0, std::min(longest, total))));
            settings_.rising = rising_.get();
        }
    }

    // The slice of every assignment; and of every slice statistic, dof, log p-value, log odds, rows and whether it varies.
    nb::tuple judge(int x, int y, const std::vector<int>& given) {
        const auto known = [this](int v) { return v >= 0 && static_cast<std::size_t>(v) < data_->columns.size(); };
        if (!known(x) || !known(y)) throw nb::index_error("no such variable");
        for (const int v : given)
            if (!known(v)) throw nb::index_error("no such variable");
        ContextAnswers answers = without_lock([&] { return judge_contexts(*data_, settings_, x, y, given); });
        const auto column = [&](auto number) {
            nb::list out;
            for (const ContextNumbers& slice : answers.slices) out.append(number(slice));
            return out;
        };
        return nb::make_tuple(
            owned(std::move(answers.slice_of)), column([](const ContextNumbers& s) { return s.numbers.statistic; }),
            column([](const ContextNumbers& s) { return s.numbers.dof; }), column([](const ContextNumbers& s) { return s.numbers.log_p; }),
            column([](const ContextNumbers& s) { return s.numbers.log_odds; }), column([](const ContextNumbers& s) { return s.n_rows; }),
            column([](const ContextNumbers& s) { return s.varies; }));
    }

private:
    std::vector<std::uint16_t> codes_;
    std::vector<std::uint8_t> narrow_;
    std::vector<std::int64_t> units_;
    std::unique_ptr<Dataset> data_;
    std::unique_ptr<LogRising> rising_;
    Settings settings_;
};

}  // namespace

void bind_contexts(nb::module_& m) {
    nb::class_<Contexts>(m, "Contexts")
        .def(nb::init<Array<std::uint16_t, 2>, const std::vector<std::uint32_t>&, Array<std::int64_t>, double, int, double, double>())
        .def("judge", &Contexts::judge);
}

}  // namespace graphoid
