// Shows on a terminal how far long work is. Progress goes to standard error, in one line that is erased at the end, and
// only if standard error is a terminal (terminal.hpp).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace graft::cli {

// Shows "building the kernel ... 3 s" while the object lives: work whose end cannot be foreseen. The seconds appear
// after the first one.
class Progress {
 public:
  explicit Progress(std::string_view text);
  ~Progress();
  Progress(const Progress&) = delete;  // not copyable: one object erases the line once
  Progress& operator=(const Progress&) = delete;

 private:
  void count_seconds();

  std::string text_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread clock_;
};

// Shows "warming [#####---------------] 25 of 100, 3.1/s, 24 s left" while the object lives: work that consists of a
// known number of jobs. The rate and the time that is left appear after the first second.
class ProgressBar {
 public:
  explicit ProgressBar(std::string_view text, std::size_t total = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;  // not copyable: one object erases the line once
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` is the number of finished jobs, including the `failed` jobs. Writes at most ten times per second. Not
  // thread-safe: callers must hold a lock.
  void show(std::size_t done, std::size_t failed);
  // For work that finds out only when it runs how many jobs it has.
  void show_of(std::size_t done, std::size_t total);

 private:
  using Clock = std::chrono::steady_clock;
  std::string text_;
  std::size_t total_;
  bool is_shown_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point drawn_;
};

// Returns the line of a ProgressBar after the time `elapsed`, without control characters.
std::string progress_line(std::string_view text, std::size_t done, std::size_t failed, std::size_t total,
                          std::chrono::duration<double> elapsed);

}  // namespace graft::cli
