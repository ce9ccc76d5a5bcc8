#include "build/builder.hpp"

#include <fmt/format.h>

#include "build/flags.hpp"
#include "build/host_route.hpp"
#include "build/lto_route.hpp"
#include "build/open_tools.hpp"
#include "build/program_route.hpp"
#include "build/stopwatch.hpp"
#include "graft/error.hpp"
#include "plan/route.hpp"

namespace graft::building {
namespace {

std::string remedy_for(const plan::RouteDecision& decision) {
  if (decision.lacks_tool)
    return "Install the CUDA toolkit (or NVIDIA's wheels nvidia-cuda-nvrtc and nvidia-nvjitlink; for the host route a "
           "C++ compiler), or set GRAFT_CUDA_PATH to where it is.";
  if (decision.lacks_newer) return "Install a newer CUDA toolkit, or point GRAFT_CUDA_PATH to one.";
  return "Allow another route in Options::routes, or give the callback in another form.";
}

[[noreturn]] void no_route(const plan::RouteDecision& decision) {
  std::string message = "no route to a kernel is left:";
  for (const Report::RouteNotTaken& other : decision.not_taken)
    message += fmt::format(" {}: {};", name(other.route), other.reason);
  message.pop_back();
  const ErrorCode code = decision.lacks_tool    ? ErrorCode::ToolMissing
                         : decision.lacks_newer ? ErrorCode::ToolTooOld
                                                : ErrorCode::RouteUnavailable;
  throw Error(code, {.message = std::move(message), .remedy = remedy_for(decision), .log = {}, .versions = {}});
}

void check_architecture(std::optional<Architecture> architecture) {
  if (!architecture || *architecture >= kOldestArchitecture) return;
  throw Error(ErrorCode::InvalidArgument, {.message = fmt::format("{} is older than graft's oldest architecture, {}",
                                                                  architecture->sm(), kOldestArchitecture.sm()),
                                           .remedy = "Use a GPU of compute capability 7.5 or newer.",
                                           .log = {},
                                           .versions = {}});
}

}  // namespace

Image::Data build_image(const Callback& callback, std::optional<Architecture> architecture, const Options& options,
                        const Toolbox& toolbox) {
  check_options(options);
  check_architecture(architecture);
  Image::Data image;
  Stopwatch watch(image.report);
  const OpenTools tools = open_tools(options.routes, toolbox);
  plan::RouteDecision decision = plan::choose_route({options.routes, {}, architecture}, tools.states);
  if (!decision.route) no_route(decision);
  image.report.route = *decision.route;
  image.report.routes_not_taken = std::move(decision.not_taken);
  image.report.toolkit = tools.origin;
  watch.step("open tools");
  switch (*decision.route) {
    case Route::Lto:
      build_lto(callback, architecture.value(), options, tools, image);
      break;
    case Route::Program:
      build_program(callback, architecture.value(), options, tools, image);
      break;
    case Route::Ptx:
    case Route::Indirect:
      break;
    case Route::Host:
      build_host_route(callback, options, tools, image);
      break;
  }
  return image;
}

}  // namespace graft::building
