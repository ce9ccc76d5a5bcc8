// Checks the request. If the callback is NVVM IR, compiles it to LTO-IR first. Then PackBuilder makes a pack, or
// compile_unadapted makes one of the formats that contain no adapter.
#include "routes/precompile.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "compile/nvvm_compile.hpp"
#include "compile/open_tools.hpp"
#include "compile/option_check.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "routes/builder.hpp"
#include "routes/pack_builder.hpp"
#include "routes/unadapted_code.hpp"

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

}  // namespace

base::Bytes precompile(const Step& step, const std::vector<Architecture>& architectures, PrecompileFormat format,
                       const Options& options, const compile::Toolbox& toolbox) {
  const Callback& callback = step.callback;
  compile::check_options(options);
  const std::vector<Architecture> wanted = checked(architectures, format);
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
