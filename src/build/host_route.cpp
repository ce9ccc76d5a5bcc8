#include "build/host_route.hpp"

#include "build/host_image.hpp"
#include "build/stopwatch.hpp"
#include "graft/error.hpp"

namespace graft::building {

void build_host_route(const Callback& callback, const Options& options, const Toolbox& tools, Image::Data& image) {
  Report& report = image.report;
  Stopwatch watch(report);
  std::string why;
  const auto compiler = tools.host_compiler(why);
  if (!compiler)
    throw Error(
        ErrorCode::ToolMissing,
        {.message = why, .remedy = "Install a C++ compiler, or name one in GRAFT_CXX.", .log = {}, .versions = {}});
  report.versions = {{"host compiler", compiler->version()}};
  const SourceProgram program = prepare_source(callback, options);
  watch.step("scan");
  HostImage made = compile_host_image(program, options, *compiler, report.versions);
  watch.step("compile");

  report.route = Route::Host;
  report.kernel_name = reflect::kernel_name(program.parts);
  report.signature = std::move(made.signature);
  report.policy_reason = "the host route runs a plain loop";
  report.body = Body::Rolled;
  report.compiler_log = std::move(made.log);
  report.source = std::move(made.source);
  image.bytes = std::move(made.object);
  report.image_bytes = image.bytes.size();
}

}  // namespace graft::building
