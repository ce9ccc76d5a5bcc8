// Arithmetic with file times that cannot overflow. File systems store seconds as 64-bit numbers, but system_clock
// counts nanoseconds in 64 bits and covers only the years 1677 to 2262. Pure functions.
#pragma once

#include <chrono>
#include <ctime>

namespace graft::store {

// Converts a file time to the clock's type, clamped to the range of the clock.
std::chrono::system_clock::time_point file_time(const timespec& time);

// Returns the time from `used` to `now`, clamped to the range of the duration. Returns zero when `used` is in the
// future.
std::chrono::system_clock::duration age(std::chrono::system_clock::time_point now,
                                        std::chrono::system_clock::time_point used);

}  // namespace graft::store
