// A Report says how a kernel was made. It has the kernel's description, why its route was taken, the tools and their
// versions, the time of each step, and the resources of the result. A report is information for the user, and graft
// bases no decision on it.
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
    std::string reason;  // why this route was not taken
  };
  struct Step {
    std::string name;         // "open tools", "scan", "read signature", "compile", "link", "load"
    double milliseconds = 0;  // elapsed time
  };
  // Resources of the kernel as ptxas reports them. All of them are 0 for the host route.
  struct Resources {
    int registers = 0;  // registers per thread
    std::size_t stack_bytes = 0;
    std::size_t spill_store_bytes = 0;
    std::size_t spill_load_bytes = 0;
    std::size_t local_bytes = 0;     // local memory per thread: the stack frame, including spills
    std::size_t constant_bytes = 0;  // including kernel parameters; 0 if the tools do not report it
  };

  // A slot of a kernel of the application's own (graft::Kernel).
  struct Slot {
    std::string declaration = {};  // "metric(float, float, const Metric&)"
    std::string callback = {};     // "huber in metric.cu"; empty if the slot is
    std::string how = {};          // "inlined"; "called", and why if graft decided so; "empty"
    // The size and alignment of the state that the callback expects behind the slot's last parameter. A kernel that
    // keeps a state in room of fixed size compares them with its room. 0 if there is none, or if its type is not known.
    std::uint64_t state_bytes = 0;
    std::uint64_t state_alignment = 1;
  };

  KernelSpec kernel;
  std::vector<RouteNotTaken> routes_not_taken;
  std::string shape;          // the kernel's tuning as text; empty for the host route
  std::string policy_reason;  // why graft chose this tuning

  Resources resources;
  // The functions that the kernel calls because they were not inlined. remaining_calls has the user's functions, and
  // "(through a pointer)" for calls to an unknown function. cuda_helpers has CUDA's helper functions
  // (__internal_accurate_pow).
  std::vector<std::string> remaining_calls;
  std::vector<std::string> cuda_helpers;

  std::vector<Slot> slots;  // of kernels of the application's own

  std::size_t image_bytes = 0;        // size of the kernel's machine code file (a cubin; host route: a shared object)
  std::string toolkit;                // the folder of the toolkit, and how it was found
  std::vector<ToolVersion> versions;  // versions of the tools that made the kernel
  std::vector<Step> steps;
  std::vector<std::string> notes;  // remarks for the user, one sentence each
  std::string compiler_log;
  std::string linker_log;
  // The text that was compiled. It consists of callback and adapter, or of the adapter alone if the callback is
  // compiled separately (route `ptx`, callback binaries). Empty if nothing was compiled, as with a pack.
  std::string source;
  bool from_cache = false;  // true if the kernel was read from the cache on disk

  // Whether the callback was inlined. Always true for the host route, where graft does not inspect the machine code.
  bool inlined() const noexcept { return remaining_calls.empty(); }
  double total_milliseconds() const noexcept;

  // to_text is for people and omits the source. to_json is for programs and has every field: one object in UTF-8, whose
  // "schema" number is raised when a field changes its meaning or is removed.
  std::string to_text() const;
  std::string to_json() const;
};

}  // namespace graft
