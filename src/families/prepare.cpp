#include "families/prepare.hpp"

#include "base/format.hpp"
#include "families/registry.hpp"

namespace graft::families {

codegen::SourceProgram prepare_program(const Step& step, const Options& options, const codegen::HasFile& has_file) {
  const Family& family = of(step.family);
  if (const Callback::Composition* const composition = step.callback.composition()) family.check(*composition);
  codegen::SourceProgram program = codegen::prepare_program(step, options, has_file);
  // Only graft::Stages, whose kernels are elementwise, has stages. Other families have callbacks at the same places.
  constexpr std::string_view kStages = "stages of ";
  if (step.family != kElementwise && program.title.starts_with(kStages))
    program.title.replace(0, kStages.size(), "callbacks of ");
  // "graft_transform_relu" becomes "graft_sum_relu".
  constexpr std::string_view kFront = "graft_transform";
  program.parts.kernel_name =
      base::format("graft_{}{}", family.kernel_word(), codegen::kernel_name(program.parts).substr(kFront.size()));
  return program;
}

}  // namespace graft::families
