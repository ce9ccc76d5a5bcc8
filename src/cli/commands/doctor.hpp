// The diagnosis of `graft doctor` says in several sections what this machine has (driver, GPUs, tools, cache) and which
// routes work on it. A new section needs a new function in the list at the end of doctor.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace graft::cli {

struct Section {
  std::string name;  // the key in JSON
  std::string text;  // lines for people
  nlohmann::json value;
};

struct Diagnosis {
  std::vector<Section> sections;
  bool makes_gpu_kernels = false;  // true if at least one route to a GPU kernel works
};

// Examines this machine. To find out which routes work, builds a small callback by each route in a child process. Takes
// about a second. Sets GRAFT_CACHE=off in the environment of this process.
Diagnosis diagnose();

}  // namespace graft::cli
