#include "compile/state_object.hpp"

#include "codegen/source_program.hpp"
#include "compile/device_compile.hpp"
#include "compile/host_image.hpp"
#include "compile/open_tools.hpp"
#include "core/fail.hpp"

namespace graft::compile {
namespace {

// A function that takes the kernel's parameter, for which the compiler must know the whole struct.
constexpr const char* kUse =
    "extern \"C\" __device__ __attribute__((used)) const void* graft_state_of("
    "const graft_parameters_of<graft_adapted>& graft_parameter) {\n"
    "  return graft_launch_in(graft_parameter);\n"
    "}\n";

}  // namespace

base::Bytes state_object(const Callback& callback, Architecture architecture, const Options& options) {
  std::string why;
  const toolchain::Driver* const driver = toolchain::Driver::find(why);
  const Toolbox toolbox({}, {}, driver == nullptr ? 0 : driver->version().major);
  codegen::SourceProgram program = codegen::prepare_program(callback, options);
  program.parts.is_without_kernel = true;
  const std::string text = codegen::program_text(program.parts) + kUse;
  if (options.routes.required != Route::Host) {
    const OpenTools tools = open_compiler(toolbox, {architecture});
    return DeviceCompiler(program, architecture, options, tools).with_debug_info(text);
  }
  const OpenTools tools = open_tools(options.routes, toolbox);
  if (!tools.host_compiler)
    fail(ErrorCode::ToolMissing, tools.states.host_compiler.why_not, "Install a C++ compiler (g++ or clang++).");
  return compile_with_debug_info(text, program, options, *tools.host_compiler);
}

}  // namespace graft::compile
