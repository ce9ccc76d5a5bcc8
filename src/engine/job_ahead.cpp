#include "engine/job_ahead.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/in_parallel.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "format/compressed_pack.hpp"
#include "routes/pack_contents.hpp"
#include "routes/pack_entry.hpp"

namespace graft::engine {
namespace {

// Throws Error(InvalidArgument) if only the callback alone could be precompiled so.
void check(PrecompileFormat format, const Options& options, const JobKernels& kernels, const std::string& title) {
  if (format != PrecompileFormat::Pack && format != PrecompileFormat::PackWithCubins)
    refuse(base::format("{} cannot be precompiled to the format {}", title, name(format)),
           "Make a pack, with or without cubins: the other formats hold callbacks without graft's kernels.");
  if (kernels.is_on_host(options))
    refuse(base::format("{} of the host route cannot be precompiled", title),
           "Leave Options::routes unset, or use graft::build.");
}

struct KernelForAll {
  Step step;
  std::vector<Architecture> architectures;
};

// Returns the kernels of the job for all architectures. A kernel that is the same on several is there once.
std::vector<KernelForAll> kernels_for_all(const JobKernels& kernels, const std::vector<Architecture>& architectures) {
  std::vector<KernelForAll> all;
  for (const Architecture architecture : architectures)
    for (Step& step : kernels.kernels_for(architecture).schedule.kernels) {
      const auto known =
          std::ranges::find_if(all, [&](const KernelForAll& one) { return one.step.request == step.request; });
      if (known != all.end()) known->architectures.push_back(architecture);
      else all.push_back({std::move(step), {architecture}});
    }
  return all;
}

}  // namespace

std::vector<Image> build(const std::shared_ptr<Engine::Impl>& engine, const JobKernels& kernels,
                         Architecture architecture, const Options& options) {
  std::optional<Architecture> wanted;
  if (!kernels.is_on_host(options)) wanted = architecture;
  std::shared_ptr<const format::TuningFile> tuning;
  if (wanted && !options.shipped_tuning)
    tuning = engine->tunings().named_for(*wanted, families::of(kernels.job().family));
  const std::vector<Step> steps = kernels.kernels_for(wanted, kernels.job().methods, tuning.get()).schedule.kernels;
  return base::results_in_parallel(steps.size(), [&](std::size_t i) {
    return Image::Data::image(engine->find_or_build({steps[i], wanted, options, tuning.get()}));
  });
}

base::Bytes precompile(const PrecompileStep& precompile_step, const JobKernels& kernels,
                       const std::vector<Architecture>& architectures, PrecompileFormat format,
                       const Options& options) {
  check_enumerator(format, PrecompileFormat::Cubin, "the format of graft::precompile");
  const families::Job& job = kernels.job();
  const bool is_callback_alone = job.request.empty() && job.callbacks.size() == 1;
  // The pack of own kernels is more than a list of kernels.
  if (is_callback_alone || !families::of(job.family).has_elements())
    return format::compressed_pack(
        precompile_step({job.callbacks.front().callback, job.family, job.request}, architectures));
  const std::string title = families::of(job.family).title(job);
  check(format, options, kernels, title);
  const std::vector<KernelForAll> all = kernels_for_all(kernels, architectures);
  if (all.empty())
    refuse(base::format("no architecture is given to precompile {} for", title),
           "Name at least the oldest architecture that you support.");
  const std::vector<base::Bytes> made = base::results_in_parallel(
      all.size(), [&](std::size_t i) { return precompile_step(all[i].step, all[i].architectures); });
  format::PackJob packed{.family = job.family, .request = job.request};
  for (const base::Bytes& one : made) packed.kernels.push_back(routes::read_packed_kernel(one, title));
  return format::compressed_pack(routes::pack_of(std::move(packed), title));
}

base::Bytes precompile(const std::shared_ptr<Engine::Impl>& engine, const JobKernels& kernels,
                       const std::vector<Architecture>& architectures, PrecompileFormat format,
                       const Options& options) {
  const PrecompileStep precompile_step = [&](const Step& step, const std::vector<Architecture>& of_step) {
    return engine->precompile(step, of_step, format, options);
  };
  return precompile(precompile_step, kernels, architectures, format, options);
}

}  // namespace graft::engine
