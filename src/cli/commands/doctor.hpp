// The diagnosis of `graft doctor`: what this machine has and what graft can do with it, in sections. A new section is a
// new function in the list at the end of doctor.cpp.
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
  bool makes_gpu_kernels = false;  // at least one route to a GPU kernel works
};

// Tries each route on a small callback, each in a child process. Takes about a second. Sets GRAFT_CACHE=off in the
// environment of this process.
Diagnosis diagnose();

}  // namespace graft::cli
