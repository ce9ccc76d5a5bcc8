// How SlotBuild makes a kernel without a linker: NVRTC compiles the code, the functions of its slots and the constants
// as one program.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "compile/device_compile.hpp"
#include "compile/optimiser_check.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "routes/slot_build.hpp"

namespace graft::routes {
namespace {

// In one text, both declarations of an extern "C" function would have to have the same types.
void check_slot(const own_kernels::Slot& slot, const std::string& code) {
  if (slot.types) return;
  fail(ErrorCode::RouteUnavailable,
       base::format("the slot {} of {} is extern \"C\", and cannot be in one program with its callback", slot.name,
                    code),
       "Declare the slot without extern \"C\", or install nvJitLink, which links them.");
}

}  // namespace

toolchain::LinkResult SlotBuild::compile_whole(const std::vector<Part>& parts,
                                               const std::vector<own_kernels::Value>& values) {
  std::vector<own_kernels::SlotFunction> functions;
  for (const Part& part : parts) {
    check_slot(*part.function.slot, code_.name());
    functions.push_back(part.function);
  }
  codegen::SourceProgram program = codegen::prepare_text(code_, options_);
  std::string text = own_kernels::whole_text(program, functions, values);
  compile::Compiled compiled = compile::DeviceCompiler(program, architecture_, options_, tools_)
                                   .named(std::move(text), entry_expressions(), compile::DeviceCompiler::Extent::Whole)
                                   .compiled;
  watch_.step("compile");
  if (!compile::is_optimised(base::as_text(compiled.ptx), read_->shape.entries.front().symbol, *tools_.nvrtc,
                             architecture_))
    image_.objection_to_storing = [] { return std::string(compile::kCompilerIsSlow); };
  image_.report.source = std::move(compiled.source);
  toolchain::LinkResult result;
  result.ok = true;
  result.info_log = std::move(compiled.ptxas_log);
  result.code = std::move(compiled.code);
  return result;
}

}  // namespace graft::routes
