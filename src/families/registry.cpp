#include "families/registry.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

#include "base/format.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "families/c_words.hpp"
#include "families/elementwise/elementwise.hpp"
#include "families/fft/fft.hpp"
#include "families/own_kernels.hpp"
#include "families/reduce/reduce.hpp"
#include "graft/error.hpp"

namespace graft::families {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::vector<const Family*> families = {&elementwise::family(), &fft::family(), &own_kernels(), &reduce::family()};
};

Registry& registry() {
  static auto& one = *new Registry;  // never destroyed, because other threads may build kernels during exit()
  return one;
}

const Family* find_in(const std::vector<const Family*>& families, std::string_view name) {
  const auto found = std::ranges::find(families, name, [](const Family* one) { return one->name(); });
  return found == families.end() ? nullptr : *found;
}

}  // namespace

const Family* find(std::string_view name) {
  const std::shared_lock lock(registry().mutex);
  return find_in(registry().families, name);
}

const Family& of(std::string_view name) {
  if (const Family* const family = find(name)) return *family;
  refuse(base::format("this version of graft has no kernel family \"{}\"", name),
         "Use a version of graft that has this family.");
}

std::vector<const Family*> all() {
  const std::shared_lock lock(registry().mutex);
  return registry().families;
}

std::string takers_of_cufft_callbacks() {
  std::set<std::string_view> takers;
  for (const Family* const family : all())
    if (const std::string_view taker = family->taker_of_cufft_callbacks(); !taker.empty()) takers.insert(taker);
  return base::join(takers, " or ");
}

std::string with_c_words(std::string text) {
  for (const Family* const family : all()) text = base::with_phrases(std::move(text), family->c_words());
  return text;
}

void add(const Family& family) {
  const std::lock_guard lock(registry().mutex);
  if (find_in(registry().families, family.name()) != nullptr)
    refuse(base::format("there is already a kernel family \"{}\"", family.name()), "Choose another name.");
  registry().families.push_back(&family);
}

codegen::SourceProgram prepare_program(const Step& step, const Options& options, const codegen::HasFile& has_file) {
  const Family& family = of(step.family);
  if (const Callback::Composition* const composition = step.callback.composition()) family.check(*composition);
  codegen::SourceProgram program = codegen::prepare_program(step, options, has_file);
  // "stages of load.cu" becomes "callbacks of load.cu", and "graft_transform_relu" becomes "graft_sum_relu".
  constexpr std::string_view kStages = "stages", kFront = "graft_transform";
  if (program.title.starts_with("stages of ")) program.title.replace(0, kStages.size(), family.stages_word());
  program.parts.kernel_name =
      base::format("graft_{}{}", family.kernel_word(), codegen::kernel_name(program.parts).substr(kFront.size()));
  return program;
}

Decided decide(const Request& request) {
  const codegen::SourceProgram& program = request.program;
  Choice choice = of(program.family).choose(request);
  const bool is_on_host = request.route == Route::Host;
  KernelSpec kernel{.family = program.family,
                    .name = codegen::kernel_name(program.parts),
                    .route = request.route,
                    .architecture = request.architecture,
                    .signature = request.signature,
                    .request = program.request,
                    .tuning = std::move(choice.tuning)};
  kernel.shared_bytes = request.options.shared_bytes;
  if (!is_on_host) {  // graft compiles host kernels with fixed floating-point flags, without a register limit
    kernel.floating_point = request.options.floating_point;
    kernel.max_registers = request.options.max_registers;
    kernel.compiler_options = canonical_compiler_options(request.options.compiler_options);
  }
  return {std::move(kernel), std::move(choice.reason)};
}

}  // namespace graft::families
