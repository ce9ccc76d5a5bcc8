// Times of files, which may lie outside of what the clock can hold: a file system has seconds of 64 bits, and the clock
// nanoseconds, from 1677 to 2262. Pure.
#pragma once

#include <chrono>
#include <ctime>

namespace graft::store {

// The nearest time that the clock can hold.
std::chrono::system_clock::time_point file_time(const timespec& time);

// How long ago `used` was, at most the longest time that there is; zero for the future.
std::chrono::system_clock::duration age(std::chrono::system_clock::time_point now,
                                        std::chrono::system_clock::time_point used);

}  // namespace graft::store
