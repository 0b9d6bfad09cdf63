#include "tests/batch.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "counting/counts.hpp"
#include "counting/holes.hpp"
#include "counting/parallel.hpp"
#include "counting/hub_tally.hpp"
#include "counting/planes.hpp"

namespace graphoid {
namespace {

// A question in canonical form: x < y.
struct Task {
    uint64_t set;      // hash of the conditioning set: equal sets become neighbours when sorted
    int x, y;
    uint32_t question;
};

// Tasks that share a conditioning set.
struct Group {
    size_t first, last;
    const int* given;  // sorted
    int n_given;
    double configurations = 1, log_configurations = 0;
    double coded = 1;      // configurations of codes, holes among them
    double occurring = 1;  // configurations of states that occur, for Kind::arc

    std::vector<int> set() const { return {given, given + n_given}; }
};

enum class Way { planes, hub, table };

// What one thread does in one go: tasks order_[first] to order_[last - 1].
struct Item {
    uint32_t group;
    Way way;
    int hub;  // for Way::hub
    size_t first, last;
};

uint64_t hash_of(const int* given, int n) {
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < n; ++i) h = (h ^ static_cast<uint64_t>(given[i])) * 1099511628211u;
    return h ^ (h >> 29);
}

// Given variables up to which cells come straight from the columns: for a set that is asked about once (beyond,
// slice ids are kept, for the next set that differs by one) and for one that several questions share.
constexpr int kMostAlone = 8, kMostShared = 4;

class Batch {
public:
    Batch(Dataset& data, SliceCache& cache, const Settings& settings, const std::vector<Question>& questions,
          Numbers* answers)
        : data_(data), cache_(cache), settings_(settings), questions_(questions), answers_(answers),
          holes_(std::any_of(data.columns.begin(), data.columns.end(), [](const Column& c) { return c.holes; })) {
        sort_tasks();
        form_groups();
        order_.reserve(tasks_.size());
        items_.reserve(groups_.size());
        for (uint32_t g = 0; g < groups_.size(); ++g) plan(g);
    }

    void run(unsigned threads) {
        const unsigned n = worth_threads() ? n_workers(items_.size(), threads) : 1;
        std::vector<std::unique_ptr<Worker>> workers;
        for (unsigned t = 0; t < n; ++t) workers.push_back(std::make_unique<Worker>(data_, settings_));
        in_parallel(items_.size(), n, [&](size_t i, unsigned thread) { work(items_[i], *workers[thread]); });
    }

private:
    // What a thread keeps from item to item.
    struct Worker {
        Worker(Dataset& data, const Settings& settings) : judge(settings, data.simd), masks(data) {}
        Judge judge;
        SliceMasks masks;
        Scratch scratch;
        std::vector<uint32_t> cells, turned;
        std::vector<double> weighted;
        std::vector<Cell> listed;
        std::vector<int> variables;
    };

    void sort_tasks() {
        size_t total = 0;
        for (const Question& q : questions_) total += static_cast<size_t>(q.n_given);
        given_.reserve(total);
        given_at_.reserve(questions_.size());
        tasks_.reserve(questions_.size());
        for (size_t i = 0; i < questions_.size(); ++i) {
            const Question& q = questions_[i];
            given_at_.push_back(given_.size());
            given_.insert(given_.end(), q.given, q.given + q.n_given);
            int* own = given_.data() + given_at_[i];
            std::sort(own, own + q.n_given);
            tasks_.push_back({hash_of(own, q.n_given), std::min(q.x, q.y), std::max(q.x, q.y), static_cast<uint32_t>(i)});
        }
        // Within a set, strips of four x take each y together: its planes come from the second cache once.
        std::sort(tasks_.begin(), tasks_.end(), [](const Task& a, const Task& b) {
            if (a.set != b.set) return a.set < b.set;
            if (a.x / 4 != b.x / 4) return a.x / 4 < b.x / 4;
            if (a.y != b.y) return a.y < b.y;
            return a.x != b.x ? a.x < b.x : a.question < b.question;
        });
    }

    void form_groups() {
        groups_.reserve(tasks_.size());
        for (size_t i = 0; i < tasks_.size(); ++i) {
            const uint32_t q = tasks_[i].question;
            const int* given = given_.data() + given_at_[q];
            const int n = questions_[q].n_given;
            // Two sets with one hash only cost each other's company.
            if (!groups_.empty() && groups_.back().n_given == n && std::equal(given, given + n, groups_.back().given)) {
                groups_.back().last = i + 1;
                continue;
            }
            Group group{i, i + 1, given, n};
            for (int k = 0; k < n; ++k) group.configurations *= data_.columns[given[k]].states();
            for (int k = 0; k < n; ++k) group.coded *= data_.columns[given[k]].arity;
            if (settings_.kind == Kind::arc)
                for (int k = 0; k < n; ++k) group.occurring *= settings_.arcs->states(given[k]);
            group.log_configurations = std::isinf(group.configurations) ? 0 : std::log(group.configurations);
            if (std::isinf(group.configurations))
                for (int k = 0; k < n; ++k) group.log_configurations += std::log(static_cast<double>(data_.columns[given[k]].states()));
            groups_.push_back(group);
        }
    }

    // Bit planes where few passes are needed, hubs where one variable meets many, tables for the rest.
    void plan(uint32_t g) {
        const Group& group = groups_[g];
        const bool shared = group.last - group.first >= 4;
        const bool given_planar = std::all_of(group.given, group.given + group.n_given, [this](int v) { return data_.planar(v); });
        const auto use_planes = [&](size_t i) {
            const double rx = data_.columns[tasks_[i].x].arity, ry = data_.columns[tasks_[i].y].arity;
            const double own = (rx - 1) * (ry - 1), others = shared ? 0 : rx + ry - 1;
            return given_planar && data_.planar(tasks_[i].x) && data_.planar(tasks_[i].y) &&
                   planes_pay(data_, group.configurations * (own + others));
        };
        const size_t start = order_.size();
        std::vector<uint32_t>& rest = rest_;
        rest.clear();
        for (size_t i = group.first; i < group.last; ++i) {
            if (use_planes(i))
                order_.push_back(static_cast<uint32_t>(i));
            else
                rest.push_back(static_cast<uint32_t>(i));
        }
        split(g, Way::planes, start);
        if (!rest.empty()) {
            take_hubs(g, rest);
            const size_t from = order_.size();
            order_.insert(order_.end(), rest.begin(), rest.end());
            split(g, Way::table, from);
        }
    }

    // Moves the tasks of variables that meet many others to items of their own.
    void take_hubs(uint32_t g, std::vector<uint32_t>& rest) {
        constexpr uint32_t enough = HubTally::kEnough;
        const Group& group = groups_[g];
        if (data_.units != nullptr) return;
        while (rest.size() >= enough) {
            std::unordered_map<int, uint32_t> meets;
            for (const uint32_t i : rest) {
                if (data_.block_of(tasks_[i].y) >= 0) ++meets[tasks_[i].x];
                if (data_.block_of(tasks_[i].x) >= 0) ++meets[tasks_[i].y];
            }
            int hub = -1;
            uint32_t most = 0;
            for (const auto& [v, n] : meets)
                if (n > most || (n == most && v < hub)) most = n, hub = v;
            if (hub < 0 || !HubTally::pays(data_, group.coded, hub, most)) return;
            const size_t start = order_.size();
            std::vector<uint32_t> left;
            for (const uint32_t i : rest) {
                const Task& t = tasks_[i];
                const int other = t.x == hub ? t.y : t.x;
                const bool mine = (t.x == hub || t.y == hub) && data_.block_of(other) >= 0;
                (mine ? order_ : left).push_back(i);
            }
            items_.push_back({g, Way::hub, hub, start, order_.size()});
            rest.swap(left);
        }
    }

    // Everything in order_ from `start` on becomes items of moderate size.
    void split(uint32_t g, Way way, size_t start) {
        constexpr size_t most = 128;  // small enough to share among threads, large enough to share masks
        for (size_t i = start; i < order_.size(); i += most) items_.push_back({g, way, -1, i, std::min(order_.size(), i + most)});
    }

    // Starting a thread costs some 20 us; the batch should take several times that.
    bool worth_threads() const {
        double rows = 0;
        for (const Item& item : items_)
            rows += static_cast<double>(item.last - item.first) * static_cast<double>(data_.n_rows) * (item.way == Way::table ? 1.0 : 0.1);
        return items_.size() > 1 && rows > 1e6;
    }

    void begin(const Group& group, const Task& task, Worker& worker) {
        worker.judge.begin(data_.columns[task.x].states(), data_.columns[task.y].states(), group.configurations, group.log_configurations);
        if (settings_.kind == Kind::arc) worker.judge.begin_arc(settings_.arcs->states(task.x), settings_.arcs->states(task.y), group.occurring);
    }

    size_t table_size(const Task& task) const {
        return size_t{data_.columns[task.x].arity} * data_.columns[task.y].arity;
    }

    // Judges tables of states, one a slice.
    void judge(const Group& group, const Task& task, const uint32_t* cells, size_t slices, Worker& worker) {
        begin(group, task, worker);
        worker.judge.slices(cells, slices);
        Numbers& answer = answers_[task.question] = worker.judge.end();
        const size_t size = slices * data_.columns[task.x].states() * data_.columns[task.y].states();
        if (holes_) answer.rows = static_cast<double>(std::accumulate(cells, cells + size, uint64_t{0}));
    }

    // Judges tables of codes, one a slice, whose holes are dropped.
    void judge_codes(const Group& group, const Task& task, uint32_t* cells, size_t slices, Worker& worker) {
        drop_holes(data_.columns[task.x], data_.columns[task.y], slices, cells);
        judge(group, task, cells, slices, worker);
    }

    void work(const Item& item, Worker& worker) {
        switch (item.way) {
            case Way::planes: by_planes(item, worker); break;
            case Way::hub: by_hub(item, worker); break;
            case Way::table: by_table(item, worker); break;
        }
    }

    void by_planes(const Item& item, Worker& worker);
    void by_hub(const Item& item, Worker& worker);
    void by_table(const Item& item, Worker& worker);
    void judge_weighted(const Group& group, const Task& task, size_t slices, Worker& worker);
    bool by_codes(const Group& group, const Task& task, Worker& worker);
    void by_listing(const Group& group, const Task& task, const Slices* slices, Worker& worker);

    Dataset& data_;
    SliceCache& cache_;
    const Settings& settings_;
    const std::vector<Question>& questions_;
    Numbers* answers_;
    const bool holes_;               // whether rows are to be counted for every question
    std::vector<int> given_;         // all conditioning sets, sorted, one after the other
    std::vector<size_t> given_at_;   // where the set of a question begins
    std::vector<Task> tasks_;
    std::vector<Group> groups_;
    std::vector<uint32_t> order_, rest_;
    std::vector<Item> items_;
};

void Batch::by_planes(const Item& item, Worker& worker) {
    const Group& group = groups_[item.group];
    const bool alone = item.last - item.first == 1;
    if (!alone) worker.masks.condition_on(group.given, group.n_given);
    for (size_t k = item.first; k < item.last; ++k) {
        const Task& task = tasks_[order_[k]];
        const size_t most = static_cast<size_t>(group.coded) * table_size(task);
        if (worker.cells.size() < most) worker.cells.resize(most);
        const size_t slices = alone ? worker.masks.table_given(group.given, group.n_given, task.x, task.y, false, worker.cells.data())
                                    : worker.masks.table(task.x, task.y, worker.cells.data());
        judge_codes(group, task, worker.cells.data(), slices, worker);
    }
}

void Batch::by_hub(const Item& item, Worker& worker) {
    const Group& group = groups_[item.group];
    std::shared_ptr<const Slices> slices;
    if (group.n_given > 0) slices = cache_.get(data_, group.set());
    const size_t n_slices = slices ? slices->n : 1;
    const uint32_t rh = data_.columns[item.hub].arity;
    const auto other = [&](uint32_t i) { return tasks_[i].x == item.hub ? tasks_[i].y : tasks_[i].x; };
    std::vector<uint32_t> mine(order_.begin() + static_cast<std::ptrdiff_t>(item.first), order_.begin() + static_cast<std::ptrdiff_t>(item.last));
    std::stable_sort(mine.begin(), mine.end(), [&](uint32_t a, uint32_t b) { return data_.block_of(other(a)) < data_.block_of(other(b)); });
    HubTally tally(data_, slices.get(), item.hub);
    int block = -1;
    for (const uint32_t i : mine) {
        const Task& task = tasks_[i];
        const int v = other(i);
        const uint32_t rv = data_.columns[v].arity;
        const size_t size = size_t{rh} * rv;
        if (data_.block_of(v) != block) tally.tally_block(block = data_.block_of(v));
        if (worker.cells.size() < n_slices * size) worker.cells.resize(n_slices * size);
        tally.table_of(v, worker.cells.data());
        uint32_t* cells = worker.cells.data();
        if (task.x != item.hub) {  // the table has the hub first; the question has it second
            worker.turned.resize(n_slices * size);
            for (size_t s = 0; s < n_slices; ++s)
                for (uint32_t h = 0; h < rh; ++h)
                    for (uint32_t k = 0; k < rv; ++k) worker.turned[s * size + k * rh + h] = cells[s * size + h * rv + k];
            cells = worker.turned.data();
        }
        judge_codes(group, task, cells, slices ? slices->kept() : 1, worker);
    }
}

void Batch::by_table(const Item& item, Worker& worker) {
    const Group& group = groups_[item.group];
    // Few given variables are mixed in faster than their slice ids are made and read again.
    const bool alone = item.last - item.first == 1;
    size_t k = item.first;
    if (group.n_given <= (alone ? kMostAlone : kMostShared))
        while (k < item.last && by_codes(group, tasks_[order_[k]], worker)) ++k;
    if (k == item.last) return;
    std::shared_ptr<const Slices> slices;
    if (group.n_given > 0) slices = cache_.get(data_, group.set());
    const size_t n_slices = slices ? slices->n : 1, kept = slices ? slices->kept() : 1;
    for (; k < item.last; ++k) {
        const Task& task = tasks_[order_[k]];
        const size_t size = table_size(task);
        if (n_slices * size > dense_limit(data_.n_rows)) {
            by_listing(group, task, slices.get(), worker);
        } else if (data_.units != nullptr) {
            weigh_cells(data_, slices.get(), task.x, task.y, worker.scratch);
            judge_weighted(group, task, kept, worker);
            std::fill_n(worker.scratch.weighted.data(), n_slices * size, 0);
        } else {
            count_cells(data_, slices.get(), task.x, task.y, worker.scratch);
            judge_codes(group, task, worker.scratch.table.data(), kept, worker);
            std::fill_n(worker.scratch.table.data(), n_slices * size, 0);
        }
    }
}

// The tables of codes at hand, in units of weight.
void Batch::judge_weighted(const Group& group, const Task& task, size_t slices, Worker& worker) {
    const Column &x = data_.columns[task.x], &y = data_.columns[task.y];
    const size_t size = size_t{x.states()} * y.states();
    const int64_t* units = worker.scratch.weighted.data();
    drop_holes(x, y, slices, worker.scratch.weighted.data());
    worker.weighted.resize(size);
    begin(group, task, worker);
    int64_t total = 0;
    for (size_t s = 0; s < slices; ++s, units += size) {
        for (size_t c = 0; c < size; ++c) worker.weighted[c] = static_cast<double>(units[c]) * data_.unit;
        for (size_t c = 0; c < size; ++c) add_units(total, units[c]);
        worker.judge.slice(worker.weighted.data());
    }
    answers_[task.question] = worker.judge.end();
    answers_[task.question].rows = static_cast<double>(total) * data_.unit;
}

// Cells straight from the columns, no slice ids in between.
bool Batch::by_codes(const Group& group, const Task& task, Worker& worker) {
    const size_t size = table_size(task);
    if (data_.units != nullptr || group.coded * static_cast<double>(size) > 65536) return false;
    std::vector<int>& variables = worker.variables;
    variables.assign(group.given, group.given + group.n_given);
    variables.push_back(task.x);
    variables.push_back(task.y);
    if (!count_mixed(data_, variables, worker.scratch)) return false;
    drop_holes(data_, variables, worker.scratch.table.data());
    judge(group, task, worker.scratch.table.data(), static_cast<size_t>(group.configurations), worker);
    std::fill_n(worker.scratch.table.data(), static_cast<size_t>(group.coded) * size, 0);
    return true;
}

// Tables with far more cells than rows: only the cells that occur, in the order of their slices.
void Batch::by_listing(const Group& group, const Task& task, const Slices* slices, Worker& worker) {
    std::vector<int> variables = group.set();
    variables.push_back(task.x);
    variables.push_back(task.y);
    const Occurring found = count_occurring(data_, variables);
    // Configurations are in lexicographic order, so a slice's cells are neighbours.
    const Column &x = data_.columns[task.x], &y = data_.columns[task.y];
    const double unit = data_.units != nullptr ? data_.unit : 1.0;
    const size_t n = found.counts.size();
    begin(group, task, worker);
    const auto slice_of = [&](size_t c) {
        return found.rows.empty() ? found.codes[c] / (uint64_t{x.states()} * y.states()) : slices != nullptr ? (*slices)[found.rows[c]] : 0;
    };
    const auto cell = [&](size_t c) -> Cell {
        const double count = static_cast<double>(found.counts[c]) * unit;
        if (found.rows.empty()) return {found.codes[c] / y.states() % x.states(), found.codes[c] % y.states(), count};
        return {x[found.rows[c]], y[found.rows[c]], count};
    };
    worker.listed.clear();
    for (size_t c = 0; c < n; ++c) {
        if (found.counts[c] > 0) worker.listed.push_back(cell(c));  // rows of weight zero do not occur
        if (c + 1 == n || slice_of(c) != slice_of(c + 1)) {
            worker.judge.slice(worker.listed);
            worker.listed.clear();
        }
    }
    answers_[task.question] = worker.judge.end();
    if (holes_)
        for (size_t c = 0; c < n; ++c) answers_[task.question].rows += static_cast<double>(found.counts[c]) * unit;
}

}  // namespace

void judge_batch(Dataset& data, SliceCache& cache, const Settings& settings, const std::vector<Question>& questions,
                 unsigned threads, Numbers* answers) {
    Batch(data, cache, settings, questions, answers).run(threads);
}

}  // namespace graphoid
