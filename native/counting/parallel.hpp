// A loop over independent items on a few threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace graphoid {

// How many threads a loop over so many items uses: at least one, and no more than a machine may have processors.
inline unsigned n_workers(std::size_t items, unsigned threads) {
    constexpr unsigned most = 1024;
    return static_cast<unsigned>(std::max<std::size_t>(1, std::min<std::size_t>({items, threads, most})));
}

// Threads that are joined however they are left.
class Joined {
public:
    explicit Joined(std::size_t most) { threads_.reserve(most); }
    Joined(const Joined&) = delete;
    Joined& operator=(const Joined&) = delete;
    ~Joined() {
        for (std::thread& thread : threads_) thread.join();
    }

    // False if the system has no thread left.
    template <class Run>
    bool start(Run run) {
        try {
            threads_.emplace_back(run);
        } catch (const std::exception&) {
            return false;
        }
        return true;
    }

private:
    std::vector<std::thread> threads_;
};

// Calls work(item, thread) for every item; the calling thread is number 0 and does alone what no other can be had for.
// The first exception ends the loop and comes out of it.
template <class Work>
void in_parallel(std::size_t items, unsigned threads, Work work) {
    const unsigned n = n_workers(items, threads);
    if (n == 1) {
        for (std::size_t i = 0; i < items; ++i) work(i, 0u);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const auto loop = [&](unsigned thread) {
        try {
            for (std::size_t i; (i = next.fetch_add(1)) < items;) work(i, thread);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!failure) failure = std::current_exception();
            next = items;
        }
    };
    {
        Joined others(n - 1);
        for (unsigned t = 1; t < n && others.start([&loop, t] { loop(t); });) ++t;
        loop(0);
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace graphoid
