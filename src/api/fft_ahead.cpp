// FFTs ahead of time: graft::build and graft::precompile of an FftPlan. The pack of an FFT is a set of packs, one for
// each kernel of each architecture's plan.
#include <algorithm>

#include "api/fft_kernels.hpp"
#include "base/format.hpp"
#include "base/in_parallel.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "engine/engine_impl.hpp"
#include "format/pack_set.hpp"
#include "graft/fft.hpp"

namespace graft {
namespace {

// Returns the architectures in order. Plans have no suffix, so one FFT cannot have two architectures of one number.
std::vector<Architecture> checked(std::vector<Architecture> architectures, PrecompileFormat format) {
  check_enumerator(format, PrecompileFormat::Cubin, "the format of graft::precompile");
  if (format != PrecompileFormat::Pack && format != PrecompileFormat::PackWithCubins)
    refuse(base::format("an FFT cannot be precompiled to the format {}", name(format)),
           "Make a pack, with or without cubins: the other formats hold callbacks without graft's kernels.");
  if (architectures.empty())
    refuse("no architecture is given to precompile an FFT for",
           "Name at least the oldest architecture that you support.");
  std::ranges::sort(architectures);
  architectures.erase(std::unique(architectures.begin(), architectures.end()), architectures.end());
  const auto twice = std::ranges::adjacent_find(architectures, {}, &Architecture::number);
  if (twice != architectures.end())
    refuse(base::format("an FFT is to be precompiled for both {} and {}", twice->sm(), std::next(twice)->sm()),
           "Make two packs.");
  return architectures;
}

}  // namespace

std::vector<Image> build(const FftPlan& plan, const FftCallbacks& callbacks, Architecture architecture,
                         const Options& options) {
  return build(Engine::shared(), plan, callbacks, architecture, options);
}

std::vector<Image> build(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks, Architecture architecture,
                         const Options& options) {
  const FftKernels kernels = FftKernels::of_callbacks(plan, callbacks);
  const Options taken = taken_options(engine, kernels, options);
  std::optional<Architecture> wanted;
  if (!kernels.is_on_host(taken)) wanted = architecture;
  const std::vector<FftKernel> all = kernels.kernels_for(wanted);
  return base::results_in_parallel(all.size(), [&](std::size_t i) {
    return Image::Data::image(Engine::Impl::of(engine)->find_or_build({*all[i].callback, wanted, taken}));
  });
}

std::vector<std::byte> precompile(const FftPlan& plan, const FftCallbacks& callbacks,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  return precompile(Engine::shared(), plan, callbacks, architectures, format, options);
}

std::vector<std::byte> precompile(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  const FftKernels kernels = FftKernels::of_callbacks(plan, callbacks);
  const Options taken = taken_options(engine, kernels, options);
  if (kernels.is_on_host(taken))
    refuse("an FFT of the host route cannot be precompiled", "Leave Options::routes unset, or use graft::build.");
  std::vector<std::pair<Architecture, FftKernel>> all;
  for (const Architecture architecture : checked(architectures, format))
    for (FftKernel& kernel : kernels.kernels_for(architecture)) all.emplace_back(architecture, std::move(kernel));
  return format::write_pack_set(base::results_in_parallel(all.size(), [&](std::size_t i) {
    const auto& [architecture, kernel] = all[i];
    return Engine::Impl::of(engine)->precompile(*kernel.callback, {architecture}, format, taken);
  }));
}

}  // namespace graft
