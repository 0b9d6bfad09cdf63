#include "tests/screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "counting/counts.hpp"
#include "counting/holes.hpp"
#include "counting/parallel.hpp"
#include "counting/planes.hpp"
#include "tests/batch.hpp"
#include "tests/special.hpp"

namespace graphoid {
namespace {

constexpr int kTile = 128;                  // variables: the planes of two tiles stay in the second cache
constexpr std::size_t kPart = 4096;         // listed pairs that a thread takes at a time
constexpr std::size_t kLargestTable = 1u << 24;  // counts whose c log c is kept
constexpr double kScale = 1 << 24;
constexpr double kLargestTotal = 0x1p38;  // times the scale, half of what 64 bits hold

struct Partner {
    double strength, statistic, dof;
    std::int32_t variable;
};

struct Pair {
    std::int32_t x, y;
    double value;
};

// The smallest statistic whose log p-value is at most `log_p`, less a little: below it, no p-value is.
double critical(double log_p, double dof) {
    double low = 0, high = 1;
    while (log_chi2_sf(high, dof) > log_p && high < 1e300) high *= 2;
    for (int i = 0; i < 40; ++i) {
        const double middle = (low + high) / 2;
        (log_chi2_sf(middle, dof) > log_p ? low : high) = middle;
    }
    return low * (1 - 1e-6) - 1e-6;
}

class Screen {
public:
    Screen(Dataset& data, SliceCache& cache, const ScreenSettings& settings)
        : data_(data), cache_(cache), set_(settings), n_(static_cast<int>(data.columns.size())) {
        // Numbers from counts alone; where sums are wanted, or the number is no p-value, every pair is judged in full.
        quick_ = !set_.totals && set_.test.kind != Kind::bayesian && data_.n_rows < kLargestTable;
        if (data_.units != nullptr) return;
        if (quick_ && set_.test.kind == Kind::g) {
            log_.resize(data_.n_rows + 1);
            for (std::size_t c = 1; c <= data_.n_rows; ++c) log_[c] = static_cast<double>(c) * std::log(static_cast<double>(c));
        }
        own_.resize(n_);
        full_.resize(n_);
        spread_.resize(n_);
        for (int v = 0; v < n_; ++v)
            if (planar(v)) look_at(v);
    }

    Screened run(unsigned threads) {
        std::vector<std::unique_ptr<Worker>> workers;
        const auto hire = [&](unsigned n, std::size_t keeping) {
            for (unsigned t = 0; t < n; ++t) workers.push_back(std::make_unique<Worker>(*this, t < keeping));
        };
        if (set_.only != nullptr) {
            hire(n_workers(set_.only->size() / kPart + 1, threads), 1);
            listed(workers, threads);
            workers.resize(1);  // the one that keeps
            return merge(workers);
        }
        std::vector<std::pair<int, int>> tiles;
        for (int x = 0; x < n_; x += kTile)
            for (int y = x; y < n_; y += kTile) tiles.emplace_back(x, y);
        const unsigned n = n_workers(tiles.size(), n_ < 64 ? 1 : threads);
        hire(n, n);
        in_parallel(tiles.size(), n, [&](std::size_t i, unsigned thread) { work(tiles[i].first, tiles[i].second, *workers[thread]); });
        rest(*workers[0], threads);
        return merge(workers);
    }

private:
    // What a thread has found so far.
    struct Worker {
        Worker(Screen& screen, bool keeps)
            : judge(screen.set_.test, screen.data_.simd), masks(screen.data_), cells(Dataset::kMaxPlanes * Dataset::kMaxPlanes),
              best(keeps ? screen.set_.partners * screen.n_ : 0), held(keeps ? screen.n_ : 0), total(keeps && screen.set_.totals ? screen.n_ : 0) {
            masks.condition_on(nullptr, 0);
        }
        Judge judge;
        SliceMasks masks;
        std::vector<std::uint32_t> cells;
        std::vector<Partner> best;       // of every variable, sorted
        std::vector<std::uint32_t> held; // how many
        std::vector<Pair> pairs;
        std::vector<std::int64_t> total;
        std::map<double, double> least;  // statistic within the limit, by degrees of freedom
    };

    bool planar(int v) const {
        return data_.units == nullptr && data_.planar(v);
    }
    bool by_planes(int x, int y) const {
        return planar(x) && planar(y) && planes_pay(data_, (data_.columns[x].arity - 1.0) * (data_.columns[y].arity - 1.0));
    }

    void look_at(int v) {
        const double n = static_cast<double>(data_.n_rows);
        double inverse = 0, states = 0, own = 0;
        for (std::uint32_t s = 0; s < data_.columns[v].arity; ++s) {
            const std::uint32_t m = data_.margin(v, s);
            if (m == 0) continue;
            ++states;
            inverse += n / m;
            if (!log_.empty()) own += log_[m];
        }
        own_[v] = own;
        full_[v] = states == data_.columns[v].arity;
        spread_[v] = states > 1 ? (inverse - 1) / std::sqrt(states - 1) : std::numeric_limits<double>::infinity();
    }

    // Whether the number of a pair is the tail of chi-square at its statistic; see Judge::chi_square_fits.
    bool plain(int x, int y) const {
        if (data_.columns[x].holes || data_.columns[y].holes) return false;
        if (set_.test.kind == Kind::mantel_haenszel) return full_[x] && full_[y];  // its degrees of freedom are of states that occur
        if (set_.test.kind != Kind::g) return set_.test.dof != Dof::adjusted;
        if (set_.test.dof == Dof::adjusted) return false;
        return spread_[x] * spread_[y] < 0.6 * std::sqrt(2.0) * static_cast<double>(data_.n_rows) * (1 - 1e-9);
    }

    // The statistic to some nine digits, from the counts alone.
    double statistic(int x, int y, const std::uint32_t* cells) {
        const std::uint32_t rx = data_.columns[x].arity, ry = data_.columns[y].arity;
        const double n = static_cast<double>(data_.n_rows);
        double sum = 0;
        if (set_.test.kind == Kind::g) {
            for (std::uint32_t c = 0; c < rx * ry; ++c) sum += log_[cells[c]];
            return 2 * (sum + log_[data_.n_rows] - own_[x] - own_[y]);
        }
        for (std::uint32_t i = 0; i < rx; ++i) {
            const double row = data_.margin(x, i);
            if (row == 0) continue;
            for (std::uint32_t j = 0; j < ry; ++j) {
                const double column = data_.margin(y, j), c = cells[i * ry + j];
                if (column > 0) sum += c * c / (row * column);
            }
        }
        return (set_.test.kind == Kind::mantel_haenszel ? n - 1 : n) * (sum - 1);
    }

    // Whether a pair may be within the limit, or among the partners of one of its ends.
    bool may_matter(int x, int y, double statistic, double dof, Worker& worker) const {
        if (set_.limit > -std::numeric_limits<double>::infinity()) {
            const auto known = worker.least.find(dof);
            const double least = known != worker.least.end() ? known->second : worker.least.emplace(dof, critical(set_.limit, dof)).first->second;
            if (statistic >= least) return true;
        }
        return may_enter(x, statistic, dof, worker) || may_enter(y, statistic, dof, worker);
    }

    bool may_enter(int v, double statistic, double dof, const Worker& worker) const {
        const std::size_t k = set_.partners;
        if (k == 0) return false;
        if (worker.held[v] < k) return true;
        const Partner& last = worker.best[v * k + k - 1];
        const double more = statistic * (1 + 1e-6) + 1e-6;
        return last.dof == dof ? more >= last.statistic : log_chi2_sf(more, dof) <= last.strength;
    }

    void work(int first_x, int first_y, Worker& worker) {
        const int last_x = std::min(n_, first_x + kTile), last_y = std::min(n_, first_y + kTile);
        for (int x = first_x; x < last_x; ++x)
            for (int y = std::max(x + 1, first_y); y < last_y; ++y) {
                if (!by_planes(x, y)) continue;
                count(x, y, worker);
                const double dof = (data_.columns[x].states() - 1.0) * (data_.columns[y].states() - 1.0);
                if (quick_ && plain(x, y) && !may_matter(x, y, statistic(x, y, worker.cells.data()), dof, worker)) continue;
                keep(x, y, judge(x, y, worker), worker);
            }
    }

    void count(int x, int y, Worker& worker) {
        worker.masks.table(x, y, worker.cells.data());
        drop_holes(data_.columns[x], data_.columns[y], 1, worker.cells.data());
    }

    Numbers judge(int x, int y, Worker& worker) {
        worker.judge.begin(data_.columns[x].states(), data_.columns[y].states(), 1, 0);
        worker.judge.slices(worker.cells.data(), 1);
        return worker.judge.end();
    }

    // Pairs that are listed: all of a strip judged, then every thread ranks the partners of some variables.
    void listed(std::vector<std::unique_ptr<Worker>>& workers, unsigned threads) {
        constexpr std::size_t strip = 1 << 18;
        const auto n = static_cast<unsigned>(workers.size());
        std::vector<Numbers> answers(std::min(strip, set_.only->size())), others;
        std::vector<Question> questions;
        for (std::size_t first = 0; first < set_.only->size(); first += strip) {
            const Listed* pairs = set_.only->data() + first;
            const std::size_t size = std::min(strip, set_.only->size() - first);
            in_parallel((size + kPart - 1) / kPart, n, [&](std::size_t part, unsigned thread) {
                for (std::size_t i = part * kPart; i < std::min(size, (part + 1) * kPart); ++i) {
                    if (!by_planes(pairs[i].x, pairs[i].y)) continue;
                    count(pairs[i].x, pairs[i].y, *workers[thread]);
                    answers[i] = judge(pairs[i].x, pairs[i].y, *workers[thread]);
                }
            });
            questions.clear();
            for (std::size_t i = 0; i < size; ++i)
                if (!by_planes(pairs[i].x, pairs[i].y)) questions.push_back({pairs[i].x, pairs[i].y, nullptr, 0});
            if (!questions.empty()) {
                others.resize(questions.size());
                judge_batch(data_, cache_, set_.test, questions, threads, others.data());
                auto next = others.begin();
                for (std::size_t i = 0; i < size; ++i)
                    if (!by_planes(pairs[i].x, pairs[i].y)) answers[i] = *next++;
            }
            Worker& kept = *workers[0];
            in_parallel(n, n, [&](std::size_t part, unsigned) {
                const auto low = static_cast<int>(part * n_ / n), high = static_cast<int>((part + 1) * n_ / n);
                for (std::size_t i = 0; i < size; ++i) {
                    const auto [x, y] = pairs[i];
                    if (low <= x && x < high) enter(x, partner(y, answers[i]), kept.best, kept.held);
                    if (low <= y && y < high) enter(y, partner(x, answers[i]), kept.best, kept.held);
                }
            });
            for (std::size_t i = 0; i < size; ++i) note(pairs[i].x, pairs[i].y, number(answers[i]), kept);
        }
    }

    // Pairs of which one has many states, or rows with weights: whole batches of questions, a strip at a time.
    void rest(Worker& worker, unsigned threads) {
        constexpr std::size_t most = 1 << 16;
        std::vector<Question> questions;
        std::vector<Numbers> answers;
        const auto ask = [&] {
            answers.resize(questions.size());
            judge_batch(data_, cache_, set_.test, questions, threads, answers.data());
            for (std::size_t i = 0; i < questions.size(); ++i) keep(questions[i].x, questions[i].y, answers[i], worker);
            questions.clear();
        };
        for (int x = 0; x < n_; ++x)
            for (int y = x + 1; y < n_; ++y) {
                if (by_planes(x, y)) continue;
                questions.push_back({x, y, nullptr, 0});
                if (questions.size() == most) ask();
            }
        if (!questions.empty()) ask();
    }

    double number(const Numbers& numbers) const {
        return set_.test.kind == Kind::bayesian ? numbers.log_odds : numbers.log_p;
    }

    Partner partner(int v, const Numbers& numbers) const {
        return {number(numbers), numbers.statistic, numbers.dof, v};
    }

    void keep(int x, int y, const Numbers& numbers, Worker& worker) {
        note(x, y, number(numbers), worker);
        enter(x, partner(y, numbers), worker.best, worker.held);
        enter(y, partner(x, numbers), worker.best, worker.held);
    }

    // What is kept of a pair beside its ends' partners.
    void note(int x, int y, double strength, Worker& worker) {
        if (strength <= set_.limit) worker.pairs.push_back({x, y, strength});
        if (!set_.totals) return;
        const double most = kLargestTotal / n_, part = std::isnan(strength) ? 0 : std::clamp(strength, -most, most);
        const auto steps = static_cast<std::int64_t>(std::llround(part * kScale));
        worker.total[x] += steps;
        worker.total[y] += steps;
    }

    bool before(const Partner& a, const Partner& b) const {
        return a.strength != b.strength ? a.strength < b.strength : set_.rank[a.variable] < set_.rank[b.variable];
    }

    void enter(int v, const Partner& partner, std::vector<Partner>& best, std::vector<std::uint32_t>& held) const {
        const std::size_t k = set_.partners;
        if (k == 0) return;
        Partner* own = best.data() + v * k;
        std::size_t at = held[v];
        if (at == k) {
            if (!before(partner, own[k - 1])) return;
            --at;
        } else {
            ++held[v];
        }
        for (; at > 0 && before(partner, own[at - 1]); --at) own[at] = own[at - 1];
        own[at] = partner;
    }

    Screened merge(std::vector<std::unique_ptr<Worker>>& workers) {
        Screened out;
        const std::size_t k = set_.partners;
        Worker& all = *workers[0];
        for (std::size_t t = 1; t < workers.size(); ++t) {
            for (int v = 0; v < n_; ++v)
                for (std::uint32_t i = 0; i < workers[t]->held[v]; ++i) enter(v, workers[t]->best[v * k + i], all.best, all.held);
            all.pairs.insert(all.pairs.end(), workers[t]->pairs.begin(), workers[t]->pairs.end());
            for (std::size_t v = 0; v < all.total.size(); ++v) all.total[v] += workers[t]->total[v];
            workers[t].reset();
        }
        std::sort(all.pairs.begin(), all.pairs.end(), [](const Pair& a, const Pair& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
        out.partner.assign(k * n_, -1);
        out.strength.assign(k * n_, 0);
        for (int v = 0; v < n_; ++v)
            for (std::uint32_t i = 0; i < all.held[v]; ++i) {
                out.partner[v * k + i] = all.best[v * k + i].variable;
                out.strength[v * k + i] = all.best[v * k + i].strength;
            }
        for (const Pair& pair : all.pairs) {
            out.x.push_back(pair.x);
            out.y.push_back(pair.y);
            out.value.push_back(pair.value);
        }
        for (const std::int64_t steps : all.total) out.total.push_back(static_cast<double>(steps) / kScale);
        return out;
    }

    Dataset& data_;
    SliceCache& cache_;
    const ScreenSettings& set_;
    const int n_;
    bool quick_ = false;
    std::vector<double> log_;     // c log c
    std::vector<double> own_;     // the sum of that over the states of a variable
    std::vector<char> full_;      // whether all its states occur
    std::vector<double> spread_;  // what decides whether chi-square fits a pair, a factor for either end
};

}  // namespace

Screened screen_pairs(Dataset& data, SliceCache& cache, const ScreenSettings& settings, unsigned threads) {
    return Screen(data, cache, settings).run(threads);
}

}  // namespace graphoid
