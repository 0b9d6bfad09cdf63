// A loop over independent items on a few threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "counting/limits.hpp"

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
// The first exception ends the loop and comes out of it. The calling thread looks at the time, also while it waits.
template <class Work>
void in_parallel(std::size_t items, unsigned threads, Work work) {
    const unsigned n = n_workers(items, threads);
    if (n == 1) {
        for (std::size_t i = 0; i < items; ++i) {
            check_time();
            work(i, 0u);
        }
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> ended{false};
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable one_less;
    unsigned running = 0;
    const auto attempt = [&](auto run) {
        try {
            run();
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!failure) failure = std::current_exception();
            ended = true;
        }
    };
    const auto loop = [&](unsigned thread) {
        for (std::size_t i; !ended && (i = next.fetch_add(1)) < items;) {
            check_time();
            work(i, thread);
        }
    };
    const auto help = [&](unsigned thread) {
        loop_ended = &ended;
        attempt([&] { loop(thread); });
        const std::lock_guard<std::mutex> lock(mutex);
        --running;
        one_less.notify_one();
    };
    {
        Joined others(n - 1);
        for (unsigned t = 1; t < n; ++t) {
            {
                const std::lock_guard<std::mutex> lock(mutex);
                ++running;
            }
            if (others.start([&help, t] { help(t); })) continue;
            const std::lock_guard<std::mutex> lock(mutex);
            --running;
            break;
        }
        attempt([&] { loop(0); });
        std::unique_lock<std::mutex> lock(mutex);
        while (!one_less.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
            lock.unlock();
            attempt(check_time);
            lock.lock();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace graphoid
