#include "build/builder.hpp"

#include <fmt/format.h>

#include "build/callback_image.hpp"
#include "build/flags.hpp"
#include "build/host_route.hpp"
#include "build/indirect_route.hpp"
#include "build/lto_route.hpp"
#include "build/open_tools.hpp"
#include "build/program_route.hpp"
#include "build/ptx_route.hpp"
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

// What the callback brings, and whether its signature can be had without a compiler.
CallbackImage examine_all(const Callback& callback, std::optional<Architecture> architecture, const Options& options) {
  CallbackImage binary = examine(callback, architecture);
  binary.material.types_known = signature_without_compiler(callback, options).has_value();
  return binary;
}

void build_on_gpu(Route route, const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  switch (route) {
    case Route::Lto:
      return build_lto(request, tools, image);
    case Route::Program:
      return build_program(request, tools, image);
    case Route::Ptx:
      return build_ptx(request, tools, image);
    case Route::Indirect:
      return build_indirect(request, tools, image);
    case Route::Host:
      break;
  }
}

}  // namespace

Image::Data build_image(const Callback& callback, std::optional<Architecture> architecture, const Options& options,
                        const Toolbox& toolbox) {
  check_options(options);
  check_architecture(architecture);
  Image::Data image;
  Stopwatch watch(image.report);
  const OpenTools tools = open_tools(options.routes, toolbox);
  const CallbackImage binary = examine_all(callback, architecture, options);
  plan::RouteDecision decision =
      plan::choose_route({options.routes, binary.material, architecture, !options.baked_state.empty()}, tools.states);
  if (!decision.route) no_route(decision);
  image.report.route = *decision.route;
  image.report.routes_not_taken = std::move(decision.not_taken);
  image.report.toolkit = tools.origin;
  watch.step("open tools");
  if (decision.from_other_major)
    image.report.notes.push_back(
        fmt::format("the LTO-IR of {} was made by CUDA {}: nvJitLink {} links it, and NVIDIA "
                    "does not promise that across a major version",
                    callback.name(), binary.material.ltoir_made_by.text(), tools.nvjitlink->version().text()));
  if (*decision.route == Route::Host) build_host_route(callback, options, tools, image);
  else build_on_gpu(*decision.route, {callback, binary, architecture.value(), options}, tools, image);
  return image;
}

}  // namespace graft::building
