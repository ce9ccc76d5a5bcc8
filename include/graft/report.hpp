// How a kernel was made: what it is, which route and why, by which tools, in which time, and what came out. For people
// and their programs: nothing in graft decides by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <graft/error.hpp>
#include <graft/export.hpp>
#include <graft/kernel_spec.hpp>
#include <graft/route.hpp>

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
    std::size_t constant_bytes = 0;  // kernel parameters included; 0 where the tools report none
  };

  KernelSpec kernel;
  std::vector<RouteNotTaken> routes_not_taken;
  std::string shape;          // the kernel's tuning in words; empty for the host route
  std::string policy_reason;  // why this tuning

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
  // The whole text that was compiled: callback and adapter, or the adapter alone where the callback is compiled apart
  // (route `ptx`, compiled callbacks); empty where nothing was compiled, as of a pack.
  std::string source;
  bool from_cache = false;

  // Of a host kernel nobody has looked: there it is true.
  bool inlined() const noexcept { return remaining_calls.empty(); }
  double total_milliseconds() const noexcept;

  // For people, without the source; and for programs, with everything: UTF-8 JSON, one object, whose "schema" is raised
  // when a field of it changes its meaning or goes.
  std::string to_text() const;
  std::string to_json() const;
};

}  // namespace graft
