// Times the steps of a build into a report.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "graft/report.hpp"

namespace graft::building {

class Stopwatch {
 public:
  explicit Stopwatch(Report& report) : report_(report) {}

  // Ends the step that began with the last call, or with the construction.
  void step(std::string name) {
    const auto now = std::chrono::steady_clock::now();
    report_.steps.push_back({std::move(name), std::chrono::duration<double, std::milli>(now - begin_).count()});
    begin_ = now;
  }

 private:
  Report& report_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace graft::building
