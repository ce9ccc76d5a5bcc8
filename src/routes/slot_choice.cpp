#include "routes/slot_choice.hpp"

#include <algorithm>
#include <string>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "own_kernels/headers_apart.hpp"

namespace graft::routes {
namespace {

struct Obstacle {
  std::string reason = {};  // empty if there is none
  bool is_tool = false;     // a tool is missing
};

Obstacle missing(const plan::ToolState& tool) {
  return tool.available ? Obstacle() : Obstacle{tool.why_not, true};
}

// One program has the texts of all parts. Its names and macros are kept apart, but not against hostile texts.
Obstacle to_program(const std::vector<std::optional<Callback>>& parts, const Options& options,
                    const plan::Tools& tools) {
  for (const std::optional<Callback>& part : parts) {
    if (!part) continue;
    if (part->form() != Form::Source)
      return {base::format("{} is {}, and one program is made of source", part->name(), name(part->form()))};
    if (!part->link_inputs().empty()) return {base::format("{} has link inputs", part->name())};
    const bool is_code = &part == &parts.front();
    if (!is_code && own_kernels::includes_own_headers(*part, options))
      return {
          base::format("{} includes headers, whose macros and functions would meet those of the kernel", part->name())};
  }
  if (options.closed) return {"the closed mode compiles the texts of callbacks apart from the kernel's"};
  return missing(tools.nvrtc);
}

}  // namespace

bool may_take(const RouteChoice& choice, Route route) {
  if (choice.required) return *choice.required == route;
  return route != Route::Ptx && std::ranges::find(choice.forbidden, route) == choice.forbidden.end();
}

SlotChoice choose_slot_route(const std::vector<std::optional<Callback>>& parts, const Options& options,
                             const plan::Tools& tools) {
  SlotChoice choice;
  std::string reasons;
  bool lacks_tool = false;
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    const bool is_allowed = may_take(options.routes, route);
    if (!is_allowed && route == Route::Ptx) break;
    const Obstacle obstacle = !is_allowed               ? Obstacle{"the request does not allow it"}
                              : route == Route::Program ? to_program(parts, options, tools)
                                                        : missing(tools.nvjitlink);
    if (obstacle.reason.empty()) {
      choice.route = route;
      return choice;
    }
    lacks_tool |= obstacle.is_tool;
    choice.depends_on_tools |= obstacle.is_tool;
    choice.not_taken.push_back({route, obstacle.reason});
    if (is_allowed) base::append(reasons, "{}{}: {}", reasons.empty() ? "" : "; ", name(route), obstacle.reason);
  }
  fail(lacks_tool ? ErrorCode::ToolMissing : ErrorCode::RouteUnavailable,
       base::format(
           "{} and its callbacks cannot be made into a kernel: {}", parts.front()->name(),
           reasons.empty() ? "the request allows no route of own kernels, which are lto, program and ptx" : reasons),
       lacks_tool ? plan::remedy_for_missing_tools(tools.driver)
                  : "Leave Options::routes as it is: own kernels and their callbacks are linked as LTO-IR.");
}

}  // namespace graft::routes
