#include "build/builder.hpp"

#include <fmt/format.h>

#include <future>

#include "build/flags.hpp"
#include "build/host_route.hpp"
#include "build/lto_route.hpp"
#include "build/stopwatch.hpp"
#include "graft/error.hpp"
#include "plan/route.hpp"

namespace graft::building {
namespace {

template <class Tool>
plan::ToolState state_of(const std::shared_ptr<const Tool>& tool, std::string why) {
  return {tool != nullptr, std::move(why)};
}

// Looks only for the tools that the choice can depend on: a host compiler need not exist for a GPU kernel, nor a
// toolkit for a host one.
plan::Tools tools_for(const RouteChoice& choice, const Toolbox& tools) {
  plan::Tools found;
  std::string why;
  if (choice.required == Route::Host) {
    const auto compiler = tools.host_compiler(why);
    found.host_compiler = state_of(compiler, why);
  } else {
    // The linker is opened beside the compiler: 4 ms that nobody waits for.
    std::string why_no_linker;
    auto linker = std::async(std::launch::async, [&] { return tools.toolkit().nvjitlink(why_no_linker); });
    const auto nvrtc = tools.toolkit().nvrtc(why);
    found.nvrtc = state_of(nvrtc, why);
    const auto nvjitlink = linker.get();
    found.nvjitlink = state_of(nvjitlink, why_no_linker);
  }
  return found;
}

[[noreturn]] void no_route(const plan::RouteDecision& decision, const plan::Tools& tools, const RouteChoice& choice) {
  std::string message = "no route to a kernel is left:";
  for (const Report::RouteNotTaken& other : decision.not_taken)
    message += fmt::format(" {}: {};", name(other.route), other.reason);
  message.pop_back();
  const bool missing = choice.required == Route::Host ? !tools.host_compiler.available
                                                      : !tools.nvrtc.available || !tools.nvjitlink.available;
  throw Error(
      missing ? ErrorCode::ToolMissing : ErrorCode::RouteUnavailable,
      {.message = std::move(message),
       .remedy = missing ? "Install the CUDA toolkit (or NVIDIA's wheels nvidia-cuda-nvrtc and nvidia-nvjitlink; "
                           "for the host route a C++ compiler), or set GRAFT_CUDA_PATH to where it is."
                         : "Allow another route in Options::routes.",
       .log = {},
       .versions = {}});
}

}  // namespace

Image::Data build_image(const Callback& callback, std::optional<Architecture> architecture, const Options& options,
                        const Toolbox& tools) {
  check_options(options);
  Image::Data image;
  Stopwatch watch(image.report);
  const plan::Tools found = tools_for(options.routes, tools);
  plan::RouteDecision decision = plan::choose_route(options.routes, found);
  if (!decision.route) no_route(decision, found, options.routes);
  image.report.route = *decision.route;
  image.report.routes_not_taken = std::move(decision.not_taken);
  watch.step("open tools");
  if (*decision.route == Route::Host) build_host_route(callback, options, tools, image);
  else build_lto(callback, architecture.value(), options, tools, image);
  return image;
}

}  // namespace graft::building
