// Arithmetic with file times that cannot overflow. File systems store 64-bit seconds, but system_clock counts 64-bit
// nanoseconds and covers only the years 1677 to 2262. Pure functions.
#pragma once

#include <chrono>
#include <ctime>

namespace graft::store {

// The file time, clamped to the range of the clock.
std::chrono::system_clock::time_point file_time(const timespec& time);

// The time from `used` to `now`, clamped to the range of the duration; zero when `used` is in the future.
std::chrono::system_clock::duration age(std::chrono::system_clock::time_point now,
                                        std::chrono::system_clock::time_point used);

}  // namespace graft::store
