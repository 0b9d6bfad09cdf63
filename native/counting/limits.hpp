// What a call may take: time, of which somebody outside knows, and memory.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>

namespace graphoid {

// Called by a thread that came from outside, every now and then while it works; throws to end the call.
using Poll = void (*)();
inline std::atomic<Poll> poll{nullptr};

// Thrown in the threads of a loop that another of them has ended; the loop itself catches it.
struct Ended final : std::exception {};

// In a thread of a loop, whether the loop is over; null in one that came from outside.
inline thread_local const std::atomic<bool>* loop_ended = nullptr;

// Every loop that may last calls this once in a while: it costs a look at the clock.
inline void check_time() {
    if (loop_ended != nullptr) {
        if (loop_ended->load(std::memory_order_relaxed)) throw Ended();
        return;
    }
    using Clock = std::chrono::steady_clock;
    constexpr auto pause = std::chrono::milliseconds(50);  // between two polls, which take Python's lock
    static thread_local Clock::time_point next{};
    const Clock::time_point now = Clock::now();
    if (now < next) return;
    next = now + pause;
    if (const Poll ask = poll.load(std::memory_order_relaxed)) ask();
}

// Bytes that one call may take for what grows faster than the data: of the machine, until somebody allows less.
inline std::atomic<std::size_t> most_memory{static_cast<std::size_t>(-1)};

// Item `item` of a batch would take more.
struct TooLarge final : std::exception {
    TooLarge(std::size_t item, double bytes) : item(item), bytes(bytes) {}
    const char* what() const noexcept override { return "this would take more memory than a call may"; }
    std::size_t item;
    double bytes;
};

}  // namespace graphoid
