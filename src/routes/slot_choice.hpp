// Chooses the route of own kernels:
//
//     lto       nvJitLink links the kernel and its callbacks as LTO-IR
//     program   without nvJitLink: NVRTC compiles both as one text, so both must be source
//     ptx       if it is asked for: the kernel stays PTX and calls its callbacks
//
// A kernel has no host route, and calls no callback through a pointer.
#pragma once

#include <optional>
#include <vector>

#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "graft/report.hpp"
#include "plan/route.hpp"

namespace graft::routes {

// Whether the caller allows this route. The route ptx is not taken unless it is asked for.
bool may_take(const RouteChoice& choice, Route route);

struct SlotChoice {
  Route route = Route::Lto;
  std::vector<Report::RouteNotTaken> not_taken = {};  // those before the chosen one
  bool depends_on_tools = false;                      // another installation might have given another route
};

// `parts` are the code and the callbacks. Throws Error: ToolMissing, RouteUnavailable.
SlotChoice choose_slot_route(const std::vector<std::optional<Callback>>& parts, const Options& options,
                             const plan::Tools& tools);

}  // namespace graft::routes
