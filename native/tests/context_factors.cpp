#include "tests/context_factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "counting/limits.hpp"
#include "counting/platform.hpp"

namespace graphoid {
namespace {

constexpr double clear_share = 1e-9;  // information below this share of the rows is rounding: margins are known
constexpr double largest_product = 1e200;
constexpr int few = 4096;

double x_log_x(double x) {
    static const std::vector<double> known = [] {
        std::vector<double> out(few, 0.0);
        for (int i = 2; i < few; ++i) out[i] = i * std::log(static_cast<double>(i));
        return out;
    }();
    if (x < few && x == static_cast<int>(x)) return known[static_cast<int>(x)];
    return x * std::log(x);
}

// A sum of log Bayes factors, its logarithms taken of products: they take longest.
struct Factors {
    std::array<double, n_scales> half{}, product;
    Factors() { product.fill(1.0); }

    void fold(int k) {
        half[k] -= 0.5 * std::log(product[k]);
        product[k] = 1.0;
    }
    void add(const Factors& other) {
        for (int k = 0; k < n_scales; ++k) {
            half[k] += other.half[k];
            if (other.product[k] > largest_product || product[k] > largest_product) fold(k);
            product[k] *= other.product[k];
        }
    }
    double value(int k) const { return half[k] - 0.5 * std::log(product[k]); }
};

// Eigenvalues and eigenvectors of the covariance of states, diag(p) - pp'. All are orthogonal to the constant vector, so
// Jacobi's rotations begin at Helmert's contrasts: of two states none is needed, of three one.
class Eigen {
public:
    explicit Eigen(int k) : k_(k), d_(k - 1), basis_(k * d_), vectors_(k * d_), values(d_), m_(d_ * d_) {
        for (int j = 0; j < d_; ++j) {
            const double unit = 1 / std::sqrt((j + 1.0) * (j + 2.0));
            for (int i = 0; i <= j; ++i) basis_[i * d_ + j] = unit;
            basis_[(j + 1) * d_ + j] = -(j + 1) * unit;
        }
    }
    int size() const { return d_; }
    double vector(int state, int j) const { return vectors_[state * d_ + j]; }

    void solve(const double* p) {
        vectors_ = basis_;
        for (int a = 0; a < d_; ++a)
            for (int b = a; b < d_; ++b) {
                double both = 0, mean_a = 0, mean_b = 0;
                for (int s = 0; s < k_; ++s) {
                    const double u = basis_[s * d_ + a], v = basis_[s * d_ + b];
                    both += p[s] * u * v, mean_a += p[s] * u, mean_b += p[s] * v;
                }
                m_[a * d_ + b] = m_[b * d_ + a] = both - mean_a * mean_b;
            }
        for (int sweep = 0; sweep < 60 && off_diagonal() > 1e-32; ++sweep)
            for (int a = 0; a < d_; ++a)
                for (int b = a + 1; b < d_; ++b) rotate(a, b);
        for (int a = 0; a < d_; ++a) values[a] = m_[a * d_ + a];
    }

private:
    int k_, d_;
    std::vector<double> basis_, vectors_;

public:
    std::vector<double> values;

private:
    std::vector<double> m_;

    double off_diagonal() const {
        double sum = 0;
        for (int a = 0; a < d_; ++a)
            for (int b = a + 1; b < d_; ++b) sum += m_[a * d_ + b] * m_[a * d_ + b];
        return sum;
    }
    void rotate(int a, int b) {
        const double off = m_[a * d_ + b];
        if (off == 0) return;
        const double theta = (m_[b * d_ + b] - m_[a * d_ + a]) / (2 * off);
        const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto turn = [c, s](double& u, double& v) {
            const double old = u;
            u = c * old - s * v, v = s * old + c * v;
        };
        for (int i = 0; i < d_; ++i) turn(m_[i * d_ + a], m_[i * d_ + b]);
        for (int i = 0; i < d_; ++i) turn(m_[a * d_ + i], m_[b * d_ + i]);
        for (int i = 0; i < k_; ++i) turn(vectors_[i * d_ + a], vectors_[i * d_ + b]);
    }
};

// The tables of a pair for every configuration of some fields. Where one of the two does not vary, a table says nothing.
class Slices {
public:
    Slices(const PackedRows& data, const ContextPair& pair, const double* scales)
        : data_(data), scales_(scales), kx_(data.arity[pair.x]), ky_(data.arity[pair.y]), of_x_(kx_), of_y_(ky_), p_(kx_), q_(ky_), left_(kx_ * ky_) {
        std::size_t room = 16;
        while (room < 2 * data.size) room *= 2;
        place_.resize(room);
        for (std::size_t i = room; i > 1; i /= 2) --shift_;
        for (std::size_t i = 0; i < data.size; ++i) {
            const std::uint64_t x = data.codes[i] & data.field[pair.x], y = data.codes[i] & data.field[pair.y];
            cell_.push_back(static_cast<std::uint32_t>((x >> data.shift[pair.x]) * ky_ + (y >> data.shift[pair.y])));
        }
    }

    // The tables given some fields, which must include those of the context: inside, and outside.
    void sum_up(std::uint64_t given, std::uint64_t fields, std::uint64_t code, ContextFactors& found) {
        if (!known_ || given != given_) divide(given);
        std::vector<std::size_t> inside;
        for (std::size_t i = 0; i < configurations_.size(); ++i)
            if ((configurations_[i] & fields) == code) inside.push_back(i);
        Factors within;
        for (const std::size_t i : inside) {
            found.inside.rows += rows_[i];
            if (varies_[i] < 0) continue;
            const Table& table = tables_[varies_[i]];
            found.inside.statistic += table.statistic, found.inside.dof += table.dof;
            within.add(table.factors);
        }
        if (inside.size() < configurations_.size()) {
            found.outside = all_;
            found.outside.rows -= found.inside.rows, found.outside.statistic -= found.inside.statistic, found.outside.dof -= found.inside.dof;
        }
        for (int k = 0; k < n_scales; ++k) {
            found.inside.factor[k] = within.value(k);
            if (inside.size() < configurations_.size()) found.outside.factor[k] -= found.inside.factor[k];
            found.one[k] = one_of(inside, k, found.inside.rows);
        }
    }

private:
    struct Table {
        double statistic, dof;
        Factors factors;
    };
    struct Place {
        std::uint64_t configuration;
        std::uint32_t number = 0;  // from 1 on; 0 is a free place
    };
    const PackedRows& data_;
    const double* scales_;
    int kx_, ky_, shift_ = 64;
    Eigen of_x_, of_y_;
    std::vector<double> p_, q_, left_;
    std::vector<std::uint32_t> cell_;
    std::vector<Place> place_;
    std::uint64_t given_ = 0;
    bool known_ = false;
    std::vector<std::uint64_t> configurations_;
    std::vector<double> cells_, rows_;
    std::vector<int> varies_;  // which of the tables it is; -1 where it says nothing
    std::vector<Table> tables_;
    TableSums all_;

    void divide(std::uint64_t given) {
        known_ = true, given_ = given;
        count();
        rows_.clear(), varies_.clear(), tables_.clear();
        all_ = {};
        Factors together;
        const std::size_t n_cells = static_cast<std::size_t>(kx_) * ky_;
        for (std::size_t i = 0; i < configurations_.size(); ++i) {
            const bool varies = measure(&cells_[i * n_cells]);
            varies_.push_back(varies ? static_cast<int>(tables_.size()) - 1 : -1);
            all_.rows += rows_.back();
            if (!varies) continue;
            all_.statistic += tables_.back().statistic, all_.dof += tables_.back().dof;
            together.add(tables_.back().factors);
        }
        for (int k = 0; k < n_scales; ++k) all_.factor[k] = together.value(k);
    }

    void count() {
        configurations_.clear(), cells_.clear();
        std::fill(place_.begin(), place_.end(), Place{});
        const std::size_t n_cells = static_cast<std::size_t>(kx_) * ky_, last = place_.size() - 1;
        for (std::size_t i = 0; i < data_.size; ++i) {
            const std::uint64_t key = data_.codes[i] & given_;
            std::size_t at = (key * 0x9E3779B97F4A7C15u) >> shift_;  // Fibonacci hashing
            while (place_[at].number && place_[at].configuration != key) at = (at + 1) & last;
            if (!place_[at].number) {
                configurations_.push_back(key);
                cells_.resize(cells_.size() + n_cells);
                place_[at] = {key, static_cast<std::uint32_t>(configurations_.size())};
            }
            cells_[(place_[at].number - 1) * n_cells + cell_[i]] += data_.rows[i];
        }
    }

    // Notes the rows of a table and, where both variables vary, what it says.
    bool measure(const double* table) {
        std::fill(p_.begin(), p_.end(), 0.0), std::fill(q_.begin(), q_.end(), 0.0);
        for (int i = 0; i < kx_; ++i)
            for (int j = 0; j < ky_; ++j) p_[i] += table[i * ky_ + j], q_[j] += table[i * ky_ + j];
        const double n = std::accumulate(p_.begin(), p_.end(), 0.0);
        rows_.push_back(n);
        const auto occur = [](const std::vector<double>& margin) { return std::count_if(margin.begin(), margin.end(), [](double m) { return m > 0; }); };
        const auto nx = occur(p_), ny = occur(q_);
        if (nx < 2 || ny < 2) return false;
        double sum = x_log_x(n);
        for (int c = 0; c < kx_ * ky_; ++c) sum += x_log_x(table[c]);
        for (const double m : p_) sum -= x_log_x(m);
        for (const double m : q_) sum -= x_log_x(m);
        tables_.push_back({2 * sum, static_cast<double>((nx - 1) * (ny - 1)), {}});
        for (int i = 0; i < kx_; ++i)
            for (int j = 0; j < ky_; ++j) left_[i * ky_ + j] = table[i * ky_ + j] - p_[i] * q_[j] / n;
        for (double& m : p_) m /= n;
        for (double& m : q_) m /= n;
        of_x_.solve(p_.data()), of_y_.solve(q_.data());
        for (int a = 0; a < of_x_.size(); ++a)
            for (int b = 0; b < of_y_.size(); ++b) {
                const double information = n * of_x_.values[a] * of_y_.values[b];
                if (information > clear_share * n) add(tables_.back().factors, information, residual(a, b));
            }
        return true;
    }

    double residual(int a, int b) const {
        double z = 0;
        for (int i = 0; i < kx_; ++i) {
            double along = 0;
            for (int j = 0; j < ky_; ++j) along += left_[i * ky_ + j] * of_y_.vector(j, b);
            z += along * of_x_.vector(i, a);
        }
        return z;
    }

    void add(Factors& factors, double information, double z) const {
        const double square = 0.5 * z * z / information;
        for (int k = 0; k < n_scales; ++k) {
            const double gain = information * scales_[k] * scales_[k];
            factors.half[k] += square * gain / (1 + gain);
            factors.product[k] *= 1 + gain;
        }
        for (int k = 0; k < n_scales; ++k)
            if (factors.product[k] > largest_product) factors.fold(k);
    }

    // The log Bayes factor of dependence in one of some tables, drawn as rows are.
    double one_of(const std::vector<std::size_t>& inside, int k, double n) const {
        std::vector<double> logs;
        for (const std::size_t i : inside) logs.push_back(varies_[i] < 0 ? 0.0 : tables_[varies_[i]].factors.value(k));
        if (logs.empty()) return 0.0;
        const double most = *std::max_element(logs.begin(), logs.end());
        double sum = 0;
        for (std::size_t i = 0; i < inside.size(); ++i) sum += rows_[inside[i]] * std::exp(logs[i] - most);
        return most + std::log(sum / n);
    }
};

}  // namespace

std::vector<ContextFactors> context_factors(const PackedRows& data, const ContextPair& pair, const std::uint64_t* fields, const std::uint64_t* codes,
                                            std::size_t n_contexts, const double* scales) {
    std::vector<ContextFactors> found(n_contexts);
    std::vector<std::uint64_t> all(n_contexts);  // fields of what is given or makes the context
    for (std::size_t c = 0; c < n_contexts; ++c) {
        std::uint64_t of_x = 0, of_y = 0;
        for (std::size_t i = 0; i < data.size; ++i) {
            const std::uint64_t here = -static_cast<std::uint64_t>((data.codes[i] & fields[c]) == codes[c]);
            of_x |= pair.near_x[i] & here, of_y |= pair.near_y[i] & here;
        }
        std::uint64_t fixed = std::uint64_t{1} << pair.x | std::uint64_t{1} << pair.y;
        for (std::size_t v = 0; v < data.field.size(); ++v)
            if (data.field[v] & fields[c]) fixed |= std::uint64_t{1} << v;
        of_x &= ~fixed, of_y &= ~fixed;
        found[c].given = __builtin_popcountll(of_y) < __builtin_popcountll(of_x) ? of_y : of_x;
        all[c] = fields[c];
        for (std::size_t v = 0; v < data.field.size(); ++v)
            if (found[c].given >> v & 1) all[c] |= data.field[v];
    }
    std::vector<std::size_t> order(n_contexts);  // those with the same tables one after the other
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&all](std::size_t a, std::size_t b) { return all[a] < all[b]; });
    Slices slices(data, pair, scales);
    for (const std::size_t c : order) {
        check_time();
        slices.sum_up(all[c], fields[c], codes[c], found[c]);
    }
    return found;
}

std::vector<Implicant> generalize(const std::uint64_t* wanted, std::size_t n_wanted, const std::uint64_t* forbidden, std::size_t n_forbidden,
                                  const std::vector<std::uint64_t>& fields, std::vector<std::uint8_t>& covered) {
    std::vector<Implicant> found;
    std::vector<std::uint64_t> left;
    for (std::size_t row = 0; row < n_wanted; ++row) {
        if (covered[row]) continue;
        check_time();
        left.resize(n_forbidden);
        for (std::size_t i = 0; i < n_forbidden; ++i) left[i] = forbidden[i] ^ wanted[row];
        std::uint64_t kept = 0;
        // Of what no kept variable tells apart from the row, that which differs last decides: the first variable in which
        // it differs is the one that must stay.
        while (!left.empty()) {
            const std::uint64_t least = *std::min_element(left.begin(), left.end());
            if (least == 0) break;  // the row itself is forbidden
            const std::uint64_t field = *std::find_if(fields.begin(), fields.end(), [least](std::uint64_t f) { return (f & least) != 0; });
            kept |= field;
            left.erase(std::remove_if(left.begin(), left.end(), [field](std::uint64_t differs) { return (differs & field) != 0; }), left.end());
        }
        found.push_back({row, kept});
        for (std::size_t i = 0; i < n_wanted; ++i) covered[i] |= ((wanted[i] ^ wanted[row]) & kept) == 0;
    }
    return found;
}

}  // namespace graphoid
