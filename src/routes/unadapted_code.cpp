// Refuses callbacks that need graft's adapter (lambdas, baked states, compositions), then compiles the text once per
// architecture. A fatbin has LTO-IR for each architecture and PTX for the oldest one.
#include "routes/unadapted_code.hpp"

#include <utility>

#include "base/format.hpp"
#include "compile/device_compile.hpp"
#include "compile/open_tools.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "link/ptx_text.hpp"
#include "toolchain/nvfatbin.hpp"

namespace graft::routes {
namespace {

compile::CodeKind kind_of(PrecompileFormat format) {
  if (format == PrecompileFormat::Ptx) return compile::CodeKind::Ptx;
  return format == PrecompileFormat::Cubin ? compile::CodeKind::Object : compile::CodeKind::LtoIr;
}

codegen::SourceProgram program_of(const Callback& callback, PrecompileFormat format, const Options& options) {
  if (callback.form() != Form::Source)
    refuse(base::format("{} is {}: {} is made only from source", callback.name(), name(callback.form()), name(format)),
           "Make a pack of it, or give its source.");
  if (!callback.link_inputs().empty())
    refuse(base::format("{} has link inputs, which {} cannot hold", callback.name(), name(format)),
           "Make a pack, or leave the link inputs out and link them yourself.");
  codegen::SourceProgram program = codegen::prepare_text(callback, options);
  if (program.scan.is_expression)
    refuse(base::format("{} is a lambda: outside graft it has no name to be called by", callback.name()),
           "Write a __device__ function, or make a pack.");
  if (!options.baked_state.empty())
    refuse(base::format("Options::baked_state needs graft's adapter, and {} has none", name(format)),
           "Leave Options::baked_state empty, or make a pack.");
  return program;
}

std::shared_ptr<const toolchain::NvFatbin> open_nvfatbin(const compile::Toolbox& toolbox) {
  std::string why;
  auto tool = toolbox.toolkit().nvfatbin(why);
  if (!tool)
    fail(ErrorCode::ToolMissing, "a fatbin needs libnvfatbin: " + why,
         "Install it with the CUDA toolkit, or NVIDIA's wheel nvidia-nvfatbin; or make a pack, or LTO-IR for each "
         "architecture.");
  return tool;
}

}  // namespace

base::Bytes compile_unadapted(const Callback& callback, const std::vector<Architecture>& architectures,
                              PrecompileFormat format, const Options& options, const compile::Toolbox& toolbox) {
  const codegen::SourceProgram program = program_of(callback, format, options);
  const bool is_fatbin = format == PrecompileFormat::Fatbin;
  const auto container = is_fatbin ? open_nvfatbin(toolbox) : nullptr;
  const compile::OpenTools tools = compile::open_compiler(toolbox, architectures);
  const auto compile = [&](Architecture architecture, compile::CodeKind kind) {
    base::Bytes code = compile::DeviceCompiler(program, architecture, options, tools).text_alone(kind).code;
    if (kind == compile::CodeKind::Ptx) link::check_defined(code, callback.name());
    return code;
  };
  if (!is_fatbin) return compile(architectures.front(), kind_of(format));

  std::vector<toolchain::FatbinPart> parts;
  for (const Architecture architecture : architectures)
    parts.push_back({toolchain::FatbinPart::LtoIr, architecture, compile(architecture, compile::CodeKind::LtoIr)});
  parts.push_back(
      {toolchain::FatbinPart::Ptx, architectures.front(), compile(architectures.front(), compile::CodeKind::Ptx)});
  toolchain::FatbinResult result = container->make(parts, callback.name());
  if (!result.failure.empty())
    fail(ErrorCode::LinkFailed, base::format("no fatbin can be made of {}: {}", callback.name(), result.failure),
         "Make a pack, or LTO-IR for each architecture.");
  return std::move(result.code);
}

}  // namespace graft::routes
