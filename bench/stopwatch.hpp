// Measures milliseconds since construction or the last lap().
#pragma once

#include <chrono>

namespace graft::bench {

class Stopwatch {
 public:
  double lap() {
    const Clock::time_point now = Clock::now();
    const double elapsed = std::chrono::duration<double, std::milli>(now - begin_).count();
    begin_ = now;
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace graft::bench
