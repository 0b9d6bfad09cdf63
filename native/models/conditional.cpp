#include "models/conditional.hpp"

#include <algorithm>
#include <cmath>

namespace graphoid {
namespace {

// What the rows say: scores looked up, and derivatives by what was looked up. Lines of classes; `own` is what comes to the score
// of a row's own class besides.
struct Lines {
    std::vector<double> start, start_own, table, own;
    explicit Lines(const Potentials& p)
        : start(p.n_classes), start_own(p.n_classes), table(p.n_cells * p.n_classes), own(p.n_cells * p.n_classes) {}
};

// `classes` is 0 where their number is not fixed.
template <std::size_t classes>
double sum_rows(const Potentials& p, const Lines& scores, Lines& slopes) {
    const std::size_t c = classes > 0 ? classes : p.n_classes;
    std::vector<double> buffer(c);
    double fixed[classes > 0 ? classes : 1];  // stays in registers, where the number is known
    double* s = classes > 0 ? fixed : buffer.data();
    double total = 0.0;
    for (std::size_t i = 0; i < p.n_rows; ++i) {
        const std::int32_t* at = p.at + i * p.n_faces;
        const std::size_t seen = p.classes[i];
        double more = scores.start_own[seen];
        for (std::size_t y = 0; y < c; ++y) s[y] = scores.start[y];
        for (std::size_t f = 0; f < p.n_faces; ++f) {
            const std::size_t line = static_cast<std::size_t>(at[f]) * c;
            for (std::size_t y = 0; y < c; ++y) s[y] += scores.table[line + y];
            more += scores.own[line + seen];
        }
        s[seen] += more;

        const double most = *std::max_element(s, s + c), mine = s[seen] - most;
        double sum = 0.0;
        for (std::size_t y = 0; y < c; ++y) sum += s[y] = s[y] == most ? 1.0 : std::exp(s[y] - most);
        const double weight = p.row_weights != nullptr ? p.row_weights[i] : 1.0;
        total += weight * (std::log(sum) - mine);

        for (std::size_t y = 0; y < c; ++y) s[y] *= weight / sum;  // from here on the residuals
        s[seen] -= weight;
        for (std::size_t y = 0; y < c; ++y) slopes.start[y] += s[y];
        slopes.start_own[seen] += s[seen];
        for (std::size_t f = 0; f < p.n_faces; ++f) {
            const std::size_t line = static_cast<std::size_t>(at[f]) * c;
            for (std::size_t y = 0; y < c; ++y) slopes.table[line + y] += s[y];
            slopes.own[line + seen] += s[seen];
        }
    }
    return total;
}

// Of two classes only the difference matters: a row looks up by how much each face is for its own class.
double sum_two_classes(const Potentials& p, const Lines& scores, Lines& slopes) {
    std::vector<double> margins(2 * p.n_cells), by(2 * p.n_cells);
    for (std::size_t k = 0; k < margins.size(); ++k) margins[k] = scores.table[k] - scores.table[k ^ 1u] + scores.own[k];
    double total = 0.0;
    for (std::size_t i = 0; i < p.n_rows; ++i) {
        const std::int32_t* at = p.at + i * p.n_faces;
        const std::size_t seen = p.classes[i];
        const double *from = margins.data() + seen;
        double sums[2] = {scores.start[seen] - scores.start[seen ^ 1u], scores.start_own[seen]};
        std::size_t f = 0;
        for (; f + 2 <= p.n_faces; f += 2) {
            sums[0] += from[2 * static_cast<std::size_t>(at[f])];
            sums[1] += from[2 * static_cast<std::size_t>(at[f + 1])];
        }
        if (f < p.n_faces) sums[0] += from[2 * static_cast<std::size_t>(at[f])];
        const double margin = sums[0] + sums[1], small = std::exp(-std::abs(margin));
        const double weight = p.row_weights != nullptr ? p.row_weights[i] : 1.0;
        total += weight * (std::log1p(small) + std::max(-margin, 0.0));
        const double slope = -weight * (margin > 0.0 ? small : 1.0) / (1.0 + small);
        slopes.start_own[seen] += slope;
        double* to = by.data() + seen;
        for (f = 0; f < p.n_faces; ++f) to[2 * static_cast<std::size_t>(at[f])] += slope;
    }
    for (std::size_t y = 0; y < 2; ++y) slopes.start[y] = slopes.start_own[y] - slopes.start_own[y ^ 1u];
    for (std::size_t k = 0; k < by.size(); ++k) slopes.table[k] = by[k] - by[k ^ 1u];
    slopes.own = std::move(by);
    return total;
}

}  // namespace

double Potentials::loss(const double* scales, double* gradient) const {
    const std::size_t c = n_classes;
    const double* weights = scales + 1 + n_faces;
    Lines scores(*this), slopes(*this);
    for (std::size_t y = 0; y < c; ++y) {
        scores.start[y] = scales[0] * start[y];
        scores.start_own[y] = -scales[0] * start_own[y];
    }
    for (std::size_t k = 0; k < n_cells; ++k) {
        const double r = relevance[face[k]], scale = r * scales[1 + face[k]];
        for (std::size_t j = k * c; j < (k + 1) * c; ++j) {
            scores.table[j] = scale * counted[j] + r * weights[j];
            scores.own[j] = -scale * own[j];
        }
    }
    const auto sum = c == 2 ? sum_two_classes : c == 3 ? sum_rows<3> : sum_rows<0>;
    double total = sum(*this, scores, slopes);

    double *by_weight = gradient + 1 + n_faces, squares = 0.0;
    for (std::size_t f = 0; f <= n_faces; ++f) {
        const double off = scales[f] - (f == 0 ? 1.0 : 0.0);
        total += 0.5 * scale_precision * off * off;
        gradient[f] = scale_precision * off;
    }
    for (std::size_t y = 0; y < c; ++y) gradient[0] += slopes.start[y] * start[y] - slopes.start_own[y] * start_own[y];
    for (std::size_t k = 0; k < n_cells; ++k) {
        const double r = relevance[face[k]];
        for (std::size_t j = k * c; j < (k + 1) * c; ++j) {
            gradient[1 + face[k]] += r * (slopes.table[j] * counted[j] - slopes.own[j] * own[j]);
            by_weight[j] = r * slopes.table[j] + weight_precision * weights[j];
            squares += weights[j] * weights[j];
        }
    }
    return total + 0.5 * weight_precision * squares;
}

std::vector<double> Potentials::minimum(const Limits& limits) const {
    std::vector<double> at(size());
    at[0] = 1.0;
    minimize([this](const double* x, double* gradient) { return loss(x, gradient); }, at, limits);
    return at;
}

}  // namespace graphoid
