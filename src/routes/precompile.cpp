// Checks the request. If the callback is NVVM IR, compiles it to LTO-IR first. Then PackBuilder makes a pack, or
// compile_unadapted makes one of the formats for tools other than graft (nvJitLink, cuFFT), which contain no adapter:
// LTO-IR, a fatbin, PTX or relocatable machine code.
#include "routes/precompile.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "compile/device_compile.hpp"
#include "compile/nvvm_compile.hpp"
#include "compile/open_tools.hpp"
#include "compile/option_check.hpp"
#include "core/fail.hpp"
#include "core/slots.hpp"
#include "graft/error.hpp"
#include "link/ptx_text.hpp"
#include "routes/builder.hpp"
#include "routes/pack_builder.hpp"
#include "routes/slot_build.hpp"
#include "toolchain/nvfatbin.hpp"

namespace graft {

std::string_view name(PrecompileFormat format) noexcept {
  switch (format) {
    case PrecompileFormat::Pack:
      return "pack";
    case PrecompileFormat::PackWithCubins:
      return "pack with cubins";
    case PrecompileFormat::LtoIr:
      return "LTO-IR";
    case PrecompileFormat::Fatbin:
      return "fatbin";
    case PrecompileFormat::Ptx:
      return "PTX";
    case PrecompileFormat::Cubin:
      break;
  }
  return "cubin";
}

}  // namespace graft

namespace graft::routes {
namespace {

bool is_for_one(PrecompileFormat format) {
  return format == PrecompileFormat::LtoIr || format == PrecompileFormat::Ptx || format == PrecompileFormat::Cubin;
}

// Returns the architectures, sorted and without duplicates. Throws Error(InvalidArgument) if there are none, if one is
// too old, or if the format cannot hold code for all of them.
std::vector<Architecture> checked(std::vector<Architecture> architectures, PrecompileFormat format) {
  if (architectures.empty())
    refuse("no architecture is given to precompile for",
           "Name at least the oldest architecture that you support: `precompile({75})`.");
  std::ranges::sort(architectures);
  architectures.erase(std::unique(architectures.begin(), architectures.end()), architectures.end());
  for (const Architecture architecture : architectures) check_architecture(architecture);
  if (is_for_one(format) && architectures.size() > 1)
    refuse(base::format("{} is for one architecture, but {} are given", name(format), architectures.size()),
           "Make a pack or a fatbin, or one file for each architecture.");
  return architectures;
}

// ---- formats without an adapter ----

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

// Refuses callbacks that need graft's adapter (lambdas, baked states, compositions), then compiles the text once per
// architecture. A fatbin has LTO-IR for each architecture and PTX for the oldest one.
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

}  // namespace

base::Bytes precompile(const Step& step, const std::vector<Architecture>& architectures, PrecompileFormat format,
                       const Options& options, const compile::Toolbox& toolbox) {
  const Callback& callback = step.callback;
  compile::check_options(options);
  const std::vector<Architecture> wanted = checked(architectures, format);
  if (has_slots(callback)) return precompile_slots(step, wanted, format, options, toolbox);
  if (callback.form() == Form::Pack)
    refuse(base::format("{} is already a pack", callback.name()),
           "Precompile the callback from which the pack was made.");
  if (compile::has_nvvm(callback)) {
    const Callback compiled = compile::compile_nvvm(callback, wanted.front(), options, toolbox).callback;
    if (compiled.form() == Form::LtoIr && format == PrecompileFormat::LtoIr)
      return {compiled.bytes().begin(), compiled.bytes().end()};
    return precompile({compiled, step.family, step.request}, wanted, format, options, toolbox);
  }
  const bool packs = format == PrecompileFormat::Pack || format == PrecompileFormat::PackWithCubins;
  if (packs) {
    const Step spelled = spelled_as_linked(step, wanted.front(), options, toolbox);
    return PackBuilder(spelled, wanted, options, toolbox).build(format == PrecompileFormat::PackWithCubins);
  }
  return compile_unadapted(callback, wanted, format, options, toolbox);
}

}  // namespace graft::routes
