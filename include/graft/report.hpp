// How a kernel was made: which route and why, by which tools, in which time, and what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/error.hpp>
#include <graft/options.hpp>
#include <graft/route.hpp>
#include <graft/signature.hpp>
#include <graft/tuning.hpp>

namespace graft {

struct GRAFT_API Report {
  struct RouteNotTaken {
    Route route = Route::Lto;
    std::string reason;
  };
  struct Step {
    std::string name;  // "open tools", "compile", "link", "load"
    double milliseconds = 0;
  };
  // What ptxas says of the kernel. All zero for the host route, which has none of it.
  struct Resources {
    int registers = 0;  // per thread
    std::size_t stack_bytes = 0;
    std::size_t spill_store_bytes = 0;
    std::size_t spill_load_bytes = 0;
    std::size_t local_bytes = 0;     // local memory per thread: stack frame, spills included
    std::size_t constant_bytes = 0;  // kernel parameters included, as the tools report it
  };

  std::string kernel_name;
  Signature signature;
  Route route = Route::Lto;
  std::vector<RouteNotTaken> routes_not_taken;
  Architecture architecture;  // number 0 for the host route

  Tuning tuning;
  std::string policy_reason;  // why this width and body

  Resources resources;
  // Functions that it still calls: the user's own, with "(through a pointer)" for unknown ones; and CUDA's helpers.
  std::vector<std::string> remaining_calls;
  std::vector<std::string> cuda_helpers;

  std::size_t image_bytes = 0;
  std::string toolkit;                // where the tools were found
  std::vector<ToolVersion> versions;  // of those used
  std::vector<Step> steps;
  std::vector<std::string> notes;  // anything a user should know, one sentence each
  std::string compiler_log;
  std::string linker_log;
  std::string source;  // the whole text that was compiled, callback and adapter
  bool from_cache = false;

  bool inlined() const noexcept { return remaining_calls.empty(); }
  double total_milliseconds() const noexcept;

  // For people, without the source; and for programs, with everything (UTF-8 JSON, one object).
  std::string to_text() const;
  std::string to_json() const;
};

}  // namespace graft
