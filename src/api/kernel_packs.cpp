// KernelCode::precompile and precompile_for: packs of own kernels and of callbacks for their slots
// (routes/slot_packs.cpp).
#include "api/own_kernels.hpp"
#include "core/fail.hpp"
#include "engine/job_ahead.hpp"
#include "families/own_kernels.hpp"

namespace graft {
namespace {

void refuse_closed_mode(const Options& options) {
  if (options.closed)
    refuse("packs of own kernels are not made in the closed mode",
           "Leave Options::closed out, or give it to graft::Kernel::create or graft::build.");
}

}  // namespace

std::vector<std::byte> KernelCode::precompile(const std::vector<Architecture>& architectures, PrecompileFormat format,
                                              const Options& options) const {
  return precompile(Engine::shared(), architectures, format, options);
}

std::vector<std::byte> KernelCode::precompile(Engine& engine, const std::vector<Architecture>& architectures,
                                              PrecompileFormat format, const Options& options) const {
  refuse_closed_mode(options);
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return engine::precompile(impl, engine::JobKernels(families::job_of_own_kernels(*this, {})), architectures, format,
                            own_kernel_options(impl, *this, {}, options));
}

std::vector<std::byte> KernelCode::precompile_for(const SlotCallback& callback,
                                                  const std::vector<Architecture>& architectures,
                                                  const Options& options) const {
  return precompile_for(Engine::shared(), callback, architectures, options);
}

std::vector<std::byte> KernelCode::precompile_for(Engine& engine, const SlotCallback& callback,
                                                  const std::vector<Architecture>& architectures,
                                                  const Options& options) const {
  refuse_closed_mode(options);
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return engine::precompile(impl, engine::JobKernels(families::job_of_callback_for_slot(*this, callback)),
                            architectures, PrecompileFormat::Pack,
                            own_kernel_options(impl, *this, {callback}, options));
}

}  // namespace graft
