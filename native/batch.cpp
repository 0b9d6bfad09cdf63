#include "batch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "counts.hpp"
#include "parallel.hpp"
#include "planes.hpp"

namespace graphoid {
namespace {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

// A question in canonical form: x < y.
struct Task {
    uint64_t set;      // hash of the conditioning set: equal sets become neighbours when sorted
    int x, y;
    uint32_t question;
};

// Tasks that share a conditioning set.
struct Group {
    size_t first, last;
    std::vector<int> given;  // sorted
    double configurations = 1, log_configurations = 0;
};

enum class Way { planes, hub, table };

// What one thread does in one go.
struct Item {
    const Group* group;
    Way way;
    int hub;                      // for Way::hub
    std::vector<uint32_t> tasks;  // positions in the task list
};

uint64_t hash_of(const std::vector<int>& given) {
    uint64_t h = 1469598103934665603u;
    for (const int v : given) h = (h ^ static_cast<uint64_t>(v)) * 1099511628211u;
    return h ^ (h >> 29);
}

class Batch {
public:
    Batch(Dataset& data, SliceCache& cache, const Settings& settings, const std::vector<Question>& questions,
          Numbers* answers)
        : data_(data), cache_(cache), settings_(settings), questions_(questions), answers_(answers) {
        sort_tasks();
        form_groups();
        for (const Group& group : groups_) plan(group);
    }

    void run(unsigned threads) {
        const unsigned n = worth_threads() ? std::max(1u, threads) : 1;
        std::vector<Worker> workers;
        for (unsigned t = 0; t < n; ++t) workers.emplace_back(data_, settings_);
        in_parallel(items_.size(), n, [&](size_t i, unsigned thread) { work(items_[i], workers[thread]); });
    }

private:
    struct Worker {
        Worker(Dataset& data, const Settings& settings) : judge(settings), masks(data) {}
        Judge judge;
        SliceMasks masks;
        Scratch scratch;
        std::vector<uint32_t> cells;
        std::vector<double> weighted;
        std::vector<Cell> listed;
    };

    static std::vector<int> sorted_given(const Question& q) {
        std::vector<int> given(q.given, q.given + q.n_given);
        std::sort(given.begin(), given.end());
        return given;
    }

    void sort_tasks() {
        tasks_.reserve(questions_.size());
        std::vector<int> given;
        for (size_t i = 0; i < questions_.size(); ++i) {
            const Question& q = questions_[i];
            given.assign(q.given, q.given + q.n_given);
            std::sort(given.begin(), given.end());
            tasks_.push_back({hash_of(given), std::min(q.x, q.y), std::max(q.x, q.y), static_cast<uint32_t>(i)});
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
            const Question& q = questions_[tasks_[i].question];
            if (!groups_.empty() && tasks_[groups_.back().first].set == tasks_[i].set) {
                // A hash collision only costs a group of its own.
                if (q.n_given == static_cast<int>(groups_.back().given.size()) &&
                    (q.n_given == 0 || sorted_given(q) == groups_.back().given)) {
                    groups_.back().last = i + 1;
                    continue;
                }
            }
            Group group{i, i + 1, sorted_given(q)};
            for (const int v : group.given) {
                group.configurations *= data_.columns[v].arity;
                group.log_configurations += std::log(static_cast<double>(data_.columns[v].arity));
            }
            groups_.push_back(std::move(group));
        }
    }

    // Bit planes where few passes are needed, hubs where one variable meets many, tables for the rest.
    void plan(const Group& group) {
        std::vector<uint32_t> planes, rest;
        const bool shared = group.last - group.first >= 4;
        const bool given_planar = std::all_of(group.given.begin(), group.given.end(), [this](int v) { return data_.planar(v); });
        for (size_t i = group.first; i < group.last; ++i) {
            const double rx = data_.columns[tasks_[i].x].arity, ry = data_.columns[tasks_[i].y].arity;
            const double own = (rx - 1) * (ry - 1), others = shared ? 0 : rx + ry - 1;
            const bool use = given_planar && data_.planar(tasks_[i].x) && data_.planar(tasks_[i].y) &&
                             planes_pay(data_, group.configurations * (own + others));
            (use ? planes : rest).push_back(static_cast<uint32_t>(i));
        }
        take_hubs(group, rest);
        split(group, Way::planes, planes);
        split(group, Way::table, rest);
    }

    // Moves the tasks of variables that meet many others to items of their own.
    void take_hubs(const Group& group, std::vector<uint32_t>& rest) {
        if (data_.units != nullptr || rest.size() < 6 || group.configurations > static_cast<double>(data_.n_rows)) return;
        for (;;) {
            std::unordered_map<int, uint32_t> meets;
            for (const uint32_t i : rest) {
                if (data_.block_of(tasks_[i].y) >= 0) ++meets[tasks_[i].x];
                if (data_.block_of(tasks_[i].x) >= 0) ++meets[tasks_[i].y];
            }
            int hub = -1;
            uint32_t most = 0;
            for (const auto& [v, n] : meets)
                if (n > most || (n == most && v < hub)) most = n, hub = v;
            const double groups = group.configurations * (hub < 0 ? 1 : data_.columns[hub].arity);
            if (hub < 0 || most < 6 || 16 * groups > static_cast<double>(data_.n_rows)) return;
            Item item{&group, Way::hub, hub, {}};
            std::vector<uint32_t> left;
            for (const uint32_t i : rest) {
                const Task& t = tasks_[i];
                const int other = t.x == hub ? t.y : t.x;
                const bool mine = (t.x == hub || t.y == hub) && data_.block_of(other) >= 0;
                (mine ? item.tasks : left).push_back(i);
            }
            items_.push_back(std::move(item));
            rest.swap(left);
        }
    }

    void split(const Group& group, Way way, const std::vector<uint32_t>& tasks) {
        constexpr size_t most = 128;  // small enough to share among threads, large enough to share masks
        for (size_t i = 0; i < tasks.size(); i += most) {
            const auto begin = tasks.begin() + static_cast<long>(i);
            items_.push_back({&group, way, -1, {begin, tasks.begin() + static_cast<long>(std::min(tasks.size(), i + most))}});
        }
    }

    // Starting a thread costs some 20 us; the batch should take several times that.
    bool worth_threads() const {
        double rows = 0;
        for (const Item& item : items_)
            rows += static_cast<double>(item.tasks.size()) * static_cast<double>(data_.n_rows) * (item.way == Way::table ? 1.0 : 0.1);
        return items_.size() > 1 && rows > 1e6;
    }

    void begin(const Group& group, const Task& task, Worker& worker) {
        worker.judge.begin(data_.columns[task.x].arity, data_.columns[task.y].arity, group.configurations, group.log_configurations);
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
    void by_listing(const Group& group, const Task& task, const Slices* slices, Worker& worker);

    Dataset& data_;
    SliceCache& cache_;
    const Settings& settings_;
    const std::vector<Question>& questions_;
    Numbers* answers_;
    std::vector<Task> tasks_;
    std::vector<Group> groups_;
    std::vector<Item> items_;
};

void Batch::by_planes(const Item& item, Worker& worker) {
    worker.masks.condition_on(item.group->given);
    for (const uint32_t i : item.tasks) {
        const Task& task = tasks_[i];
        const size_t size = size_t{data_.columns[task.x].arity} * data_.columns[task.y].arity;
        const size_t slices = worker.masks.n_slices();
        if (worker.cells.size() < slices * size) worker.cells.resize(slices * size);
        worker.masks.table(task.x, task.y, worker.cells.data());
        begin(*item.group, task, worker);
        for (size_t s = 0; s < slices; ++s) worker.judge.slice(worker.cells.data() + s * size);
        answers_[task.question] = worker.judge.end();
    }
}

void Batch::by_hub(const Item& item, Worker& worker) {
    std::shared_ptr<const Slices> slices;
    if (!item.group->given.empty()) slices = cache_.get(data_, item.group->given);
    const size_t n_slices = slices ? slices->n : 1;
    const uint32_t rh = data_.columns[item.hub].arity;
    const auto other = [&](uint32_t i) { return tasks_[i].x == item.hub ? tasks_[i].y : tasks_[i].x; };
    std::vector<uint32_t> tasks = item.tasks;
    std::stable_sort(tasks.begin(), tasks.end(), [&](uint32_t a, uint32_t b) { return data_.block_of(other(a)) < data_.block_of(other(b)); });
    HubTally tally(data_, slices.get(), item.hub);
    std::vector<uint32_t> turned;
    int block = -1;
    for (const uint32_t i : tasks) {
        const Task& task = tasks_[i];
        const int v = other(i);
        const uint32_t rv = data_.columns[v].arity;
        const size_t size = size_t{rh} * rv;
        if (data_.block_of(v) != block) tally.tally_block(block = data_.block_of(v));
        if (worker.cells.size() < n_slices * size) worker.cells.resize(n_slices * size);
        tally.table_of(v, worker.cells.data());
        begin(*item.group, task, worker);
        for (size_t s = 0; s < n_slices; ++s) {
            const uint32_t* cells = worker.cells.data() + s * size;
            if (task.x != item.hub) {
                turned.resize(size);
                for (uint32_t h = 0; h < rh; ++h)
                    for (uint32_t k = 0; k < rv; ++k) turned[k * rh + h] = cells[h * rv + k];
                cells = turned.data();
            }
            worker.judge.slice(cells);
        }
        answers_[task.question] = worker.judge.end();
    }
}

void Batch::by_table(const Item& item, Worker& worker) {
    std::shared_ptr<const Slices> slices;
    if (!item.group->given.empty()) slices = cache_.get(data_, item.group->given);
    const size_t n_slices = slices ? slices->n : 1;
    for (const uint32_t i : item.tasks) {
        const Task& task = tasks_[i];
        const size_t size = size_t{data_.columns[task.x].arity} * data_.columns[task.y].arity;
        begin(*item.group, task, worker);
        if (n_slices * size > dense_limit(data_.n_rows)) {
            by_listing(*item.group, task, slices.get(), worker);
        } else if (data_.units != nullptr) {
            weigh_cells(data_, slices.get(), task.x, task.y, worker.scratch);
            int64_t* units = worker.scratch.weighted.data();
            worker.weighted.resize(size);
            for (size_t s = 0; s < n_slices; ++s, units += size) {
                for (size_t c = 0; c < size; ++c) worker.weighted[c] = static_cast<double>(units[c]) * data_.unit;
                worker.judge.slice(worker.weighted.data());
                std::fill_n(units, size, 0);
            }
        } else {
            count_cells(data_, slices.get(), task.x, task.y, worker.scratch);
            uint32_t* cells = worker.scratch.table.data();
            for (size_t s = 0; s < n_slices; ++s) worker.judge.slice(cells + s * size);
            std::fill_n(cells, n_slices * size, 0);
        }
        answers_[task.question] = worker.judge.end();
    }
}

// Tables with far more cells than rows: only the cells that occur, in the order of their slices.
void Batch::by_listing(const Group& group, const Task& task, const Slices* slices, Worker& worker) {
    std::vector<int> variables = group.given;
    variables.push_back(task.x);
    variables.push_back(task.y);
    std::vector<uint32_t> rows;
    std::vector<int64_t> counts;
    count_occurring(data_, variables, rows, counts);
    // Configurations are in lexicographic order, so a slice's cells are neighbours.
    const Column &x = data_.columns[task.x], &y = data_.columns[task.y];
    worker.listed.clear();
    for (size_t c = 0; c < rows.size(); ++c) {
        if (counts[c] > 0)  // rows of weight zero do not occur
            worker.listed.push_back({x[rows[c]], y[rows[c]], static_cast<double>(counts[c]) * (data_.units != nullptr ? data_.unit : 1.0)});
        const bool last = c + 1 == rows.size() || (slices != nullptr && (*slices)[rows[c]] != (*slices)[rows[c + 1]]);
        if (last) {
            worker.judge.slice(worker.listed);
            worker.listed.clear();
        }
    }
}

}  // namespace

void judge_batch(Dataset& data, SliceCache& cache, const Settings& settings, const std::vector<Question>& questions,
                 unsigned threads, Numbers* answers) {
    Batch(data, cache, settings, questions, answers).run(threads);
}

}  // namespace graphoid
