// Measures how long the steps of a build take, and writes the times into a report.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "base/cancellation.hpp"
#include "graft/report.hpp"

namespace graft::routes {

class Stopwatch {
 public:
  explicit Stopwatch(Report& report) : report_(report) {}

  // Ends a step, which began with the last call of step() or with the construction, and adds its time to the report.
  // The times of steps with the same name are added up. Throws base::Cancelled if the build was cancelled: between two
  // steps is where a build can stop.
  void step(const std::string& name) {
    const auto now = std::chrono::steady_clock::now();
    const double milliseconds = std::chrono::duration<double, std::milli>(now - begin_).count();
    begin_ = now;
    const auto known = std::ranges::find(report_.steps, name, &Report::Step::name);
    if (known == report_.steps.end()) report_.steps.push_back({name, milliseconds});
    else known->milliseconds += milliseconds;
    base::throw_if_cancelled();
  }

 private:
  Report& report_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace graft::routes
