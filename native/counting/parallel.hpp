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

template <class Work>
void in_parallel(std::size_t items, unsigned threads, Work work) {
    const auto n = static_cast<unsigned>(std::min<std::size_t>(std::max(1u, threads), std::max<std::size_t>(items, 1)));
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
            failure = std::current_exception();
            next = items;
        }
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; t < n; ++t) others.emplace_back(loop, t);
    loop(0);
    for (std::thread& t : others) t.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace graphoid
