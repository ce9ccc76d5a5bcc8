// Choosing a route, before anything is compiled: from what is asked, which tools there are and the architecture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graft/report.hpp"
#include "graft/route.hpp"

namespace graft::plan {

// One tool as the choice sees it.
struct ToolState {
  bool available = false;
  std::string why_not;  // what was looked for and where
};

struct Tools {
  ToolState nvrtc;
  ToolState nvjitlink;
  ToolState host_compiler;
};

struct RouteDecision {
  std::optional<Route> route;                    // none: no allowed route can work
  std::vector<Report::RouteNotTaken> not_taken;  // every route tried before it, and why it was not taken
};

// Pure. Routes are tried in their order; `host` only when it is required.
RouteDecision choose_route(const RouteChoice& choice, const Tools& tools);

}  // namespace graft::plan
