// KernelCode::precompile and precompile_for: packs of own kernels and of callbacks for their slots
// (routes/slot_packs.cpp).
#include "api/own_kernels.hpp"
#include "engine/job_ahead.hpp"
#include "families/own_kernels.hpp"

namespace graft {

std::vector<std::byte> KernelCode::precompile(const std::vector<Architecture>& architectures, PrecompileFormat format,
                                              const Options& options) const {
  return precompile(Engine::shared(), architectures, format, options);
}

std::vector<std::byte> KernelCode::precompile(Engine& engine, const std::vector<Architecture>& architectures,
                                              PrecompileFormat format, const Options& options) const {
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
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return engine::precompile(impl, engine::JobKernels(families::job_of_callback_for_slot(*this, callback)),
                            architectures, PrecompileFormat::Pack,
                            own_kernel_options(impl, *this, {callback}, options));
}

}  // namespace graft
