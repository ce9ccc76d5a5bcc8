// What `graft tune` measures beside elementwise kernels: jobs of a family whose tuning has rows of its own in tuning
// files (format::FurtherRows). A family that can be measured returns its JobTuner in JobOptions::tuner().
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/families/job_options.hpp"
#include "graft/architecture.hpp"
#include "graft/engine.hpp"

namespace graft::cli {

struct TuneContext {
  Engine& engine;  // builds the kernels; its cache must be off or in memory
  int device;
  Architecture architecture;
  int samples;  // of each of the times that are compared
};

// What the measurement of one job found.
struct TunedJob {
  std::string row = {};                    // of the tuning file. Empty: graft's own tuning stays
  std::string text = {};                   // the lines about an improvement, for people to read
  std::vector<std::string> left_out = {};  // one line for each candidate that failed or had wrong results
  nlohmann::json record = nlohmann::json::object();
};

struct TuneJob {
  std::string name;  // "sum 4096": the family first
  std::string what;  // what is measured, for the list
  // Throws Error if graft's own tuning cannot be measured, or if the GPU does not work any more.
  std::function<TunedJob(const TuneContext&)> tune;
};

class JobTuner {
 public:
  virtual ~JobTuner() = default;
  virtual std::string_view family() const noexcept = 0;
  virtual std::string_view noun() const noexcept = 0;  // what messages call several jobs: "sums"
  // A sentence for the help: how results change.
  virtual std::string_view effect() const noexcept = 0;
  // The option that says which jobs to measure in place of the usual ones.
  virtual JobOption option() const = 0;
  // Returns the jobs that the option's values name, or the usual ones if there are none.
  virtual std::vector<TuneJob> jobs(const std::vector<std::string>& values) const = 0;
};

}  // namespace graft::cli
