#include "plan/route.hpp"

#include <algorithm>
#include <array>

namespace graft::plan {
namespace {

// The routes that this version can take, first choice first.
constexpr std::array kOrder = {Route::Lto, Route::Host};

// Why a route cannot work here; empty when it can.
std::string obstacle(Route route, const Tools& tools) {
  switch (route) {
    case Route::Lto:
      if (!tools.nvrtc.available) return tools.nvrtc.why_not;
      if (!tools.nvjitlink.available) return tools.nvjitlink.why_not;
      return {};
    case Route::Host:
      return tools.host_compiler.available ? std::string() : tools.host_compiler.why_not;
    case Route::Program:
    case Route::Ptx:
    case Route::Indirect:
      break;
  }
  return "this version of graft does not have it";
}

std::string unwanted(Route route, const RouteChoice& choice) {
  if (choice.required && *choice.required != route)
    return std::string("the caller requires ") + std::string(name(*choice.required));
  if (std::find(choice.forbidden.begin(), choice.forbidden.end(), route) != choice.forbidden.end())
    return "the caller forbids it";
  if (route == Route::Host && !choice.required) return "it runs on the CPU, and only when it is required";
  return {};
}

}  // namespace

RouteDecision choose_route(const RouteChoice& choice, const Tools& tools) {
  RouteDecision decision;
  if (choice.required && std::find(kOrder.begin(), kOrder.end(), *choice.required) == kOrder.end()) {
    decision.not_taken.push_back({*choice.required, obstacle(*choice.required, tools)});
    return decision;
  }
  for (const Route route : kOrder) {
    std::string reason = unwanted(route, choice);
    if (reason.empty()) reason = obstacle(route, tools);
    if (reason.empty()) {
      decision.route = route;
      return decision;
    }
    decision.not_taken.push_back({route, std::move(reason)});
  }
  return decision;
}

}  // namespace graft::plan
