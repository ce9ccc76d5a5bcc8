// What fits what: whether the driver, NVRTC, nvJitLink, the LTO-IR that graft ships and the GPUs can be used together.
// `graft doctor` prints these findings. The choice of a route (route.hpp) follows the same rules.
#pragma once

#include <string>
#include <vector>

#include "graft/architecture.hpp"
#include "plan/route.hpp"

namespace graft::plan {

struct Fit {
  std::string what;  // which parts the finding is about, as a short name: "driver and tools"
  bool fits = true;
  std::string text;  // one sentence, without a full stop, that says what works, or what does not and what to do
};

// Returns one finding for each pair of parts that exist. `gpus` are the architectures of this machine's GPUs. Pure
// function.
std::vector<Fit> fits(const Tools& tools, const std::vector<Architecture>& gpus);

}  // namespace graft::plan
