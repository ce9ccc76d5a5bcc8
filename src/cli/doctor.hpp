// What this machine has and what graft can do with it, section by section. A new subject is a new function in the list
// of doctor.cpp.
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
  bool makes_gpu_kernels = false;  // one route to a GPU kernel works, or more
};

// Tries each route on a small callback, in processes of their own. Takes about a second.
Diagnosis diagnose();

}  // namespace graft::cli
