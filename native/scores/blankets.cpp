#include "scores/blankets.hpp"

#include <algorithm>
#include <cmath>

#include "counting/counts.hpp"
#include "counting/holes.hpp"
#include "counting/parallel.hpp"

namespace graphoid {

namespace {

// Configurations of the members and x, x fastest, one after the other in order: those of equal members become one.
class Merger {
public:
    Merger(Family& family, std::size_t members) : family_(family), width_(members), last_(members) {}
    void add(const std::uint16_t* configuration, std::uint32_t state, double count) {
        if (family_.n == 0 || !std::equal(last_.begin(), last_.end(), configuration)) {
            std::copy(configuration, configuration + width_, last_.begin());
            family_.members.insert(family_.members.end(), last_.begin(), last_.end());
            family_.counts.resize(family_.counts.size() + family_.states, 0.0);
            ++family_.n;
        }
        family_.counts[(family_.n - 1) * family_.states + state] += count;
    }

private:
    Family& family_;
    std::size_t width_;
    std::vector<std::uint16_t> last_;
};

void unpack(std::uint64_t code, const std::vector<std::uint32_t>& arities, std::uint16_t* states) {
    for (std::size_t i = arities.size(); i-- > 0;) {
        states[i] = static_cast<std::uint16_t>(code % arities[i]);
        code /= arities[i];
    }
}

}  // namespace

Family count_family(const Dataset& data, const Blanket& blanket) {
    std::vector<int> variables = blanket.members;
    variables.push_back(blanket.x);
    std::vector<std::uint32_t> arities;
    double cells = 1;  // with those of holes
    for (const int v : variables) {
        arities.push_back(data.columns[v].states());
        cells *= data.columns[v].arity;
    }
    Family family;
    family.states = arities.back();
    Merger merger(family, blanket.members.size());
    std::vector<std::uint16_t> states(variables.size());
    static thread_local Scratch scratch;
    // stepping over empty cells must not cost more than sorting the rows
    if (data.units == nullptr && cells <= 65536 && cells <= 8.0 * static_cast<double>(data.n_rows) &&
        count_mixed(data, variables, scratch)) {
        const std::size_t kept = drop_holes(data, variables, scratch.table.data());
        for (std::size_t code = 0; code < kept; ++code) {
            if (scratch.table[code] == 0) continue;
            unpack(code, arities, states.data());
            merger.add(states.data(), states.back(), scratch.table[code]);
            scratch.table[code] = 0;
        }
        if (static_cast<double>(kept) < cells) std::fill_n(scratch.table.data(), static_cast<std::size_t>(cells), 0);
        return family;
    }
    const Occurring found = count_occurring(data, variables);
    for (std::size_t i = 0; i < found.counts.size(); ++i) {
        if (found.counts[i] == 0) continue;
        if (!found.codes.empty())
            unpack(found.codes[i], arities, states.data());
        else
            for (std::size_t k = 0; k < variables.size(); ++k)
                states[k] = static_cast<std::uint16_t>(data.columns[variables[k]][found.rows[i]]);
        merger.add(states.data(), states.back(), static_cast<double>(found.counts[i]) * data.unit);
    }
    return family;
}

Family family_of_rows(const Dataset& data, const Blanket& blanket, const std::vector<const double*>& scores) {
    const std::size_t width = blanket.members.size();
    const Column& x = data.columns[blanket.x];
    Family family;
    family.states = x.states();
    const auto missing = [&](int v, std::size_t row) {
        return data.columns[v].missing(row) || (scores[v] != nullptr && std::isnan(scores[v][row]));
    };
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const auto absent = [&](int v) { return missing(v, row); };
        if (absent(blanket.x) || std::any_of(blanket.members.begin(), blanket.members.end(), absent)) continue;
        family.rows.push_back(static_cast<std::uint32_t>(row));
    }
    family.n = family.rows.size();
    family.members.resize(family.n * width);
    family.counts.assign(family.n * family.states, 0.0);
    for (std::size_t i = 0; i < width; ++i)
        for (std::size_t c = 0; c < family.n; ++c)
            family.members[c * width + i] = static_cast<std::uint16_t>(data.columns[blanket.members[i]][family.rows[c]]);
    for (std::size_t c = 0; c < family.n; ++c) {
        const std::size_t row = family.rows[c];
        family.counts[c * family.states + x[row]] = data.units == nullptr ? 1.0 : static_cast<double>(data.units[row]) * data.unit;
    }
    return family;
}

void closure_log_odds(Dataset& data, SliceCache& cache, const Settings& settings, const std::vector<Blanket>& blankets,
                      unsigned threads, double* out) {
    const int n = static_cast<int>(data.columns.size());
    std::vector<std::vector<int>> without;  // each blanket without each of its members
    std::size_t members = 0;
    for (const Blanket& b : blankets) members += b.members.size();
    without.reserve(members);  // questions point into it
    std::vector<Question> questions;
    questions.reserve(blankets.size() * static_cast<std::size_t>(n - 1));
    for (const Blanket& b : blankets) {
        for (int y = 0; y < n; ++y) {
            if (y == b.x) continue;
            if (std::binary_search(b.members.begin(), b.members.end(), y)) {
                std::vector<int> rest;
                for (const int z : b.members)
                    if (z != y) rest.push_back(z);
                without.push_back(std::move(rest));
                questions.push_back({b.x, y, without.back().data(), static_cast<int>(without.back().size())});
            } else {
                questions.push_back({b.x, y, b.members.data(), static_cast<int>(b.members.size())});
            }
        }
    }
    std::vector<Numbers> numbers(questions.size());
    judge_batch(data, cache, settings, questions, threads, numbers.data());
    std::size_t at = 0;
    for (std::size_t i = 0; i < blankets.size(); ++i)
        for (int y = 0; y < n; ++y) out[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(y)] = y == blankets[i].x ? 0.0 : numbers[at++].log_odds;
}

double marginal_likelihood(const Dataset& data, RisingTables& tables, double ess, const Blanket& blanket, const Family& family) {
    double configurations = 1;
    for (const int v : blanket.members) configurations *= data.columns[v].states();
    const LogRising& cell = tables[ess / (configurations * family.states)];
    const LogRising& row = tables[ess / configurations];
    const auto term = [&](const LogRising& table, double count) {
        return count == std::floor(count) ? table(static_cast<std::size_t>(count)) : LogRising::direct(table.base(), count);
    };
    long double sum = 0;
    for (std::size_t c = 0; c < family.n; ++c) {
        double total = 0;
        for (std::uint32_t s = 0; s < family.states; ++s) {
            const double count = family.counts[c * family.states + s];
            total += count;
            if (count > 0) sum += term(cell, count);
        }
        sum -= term(row, total);
    }
    return static_cast<double>(sum);
}

void marginal_likelihoods(const Dataset& data, RisingTables& tables, double ess, const std::vector<Blanket>& blankets,
                          unsigned threads, double* out) {
    in_parallel(blankets.size(), threads, [&](std::size_t i, unsigned) {
        out[i] = marginal_likelihood(data, tables, ess, blankets[i], count_family(data, blankets[i]));
    });
}

}  // namespace graphoid
