// What graft::Kernel and the functions that make packs for it have in common.
#pragma once

#include <memory>

#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"
#include "graft/kernel.hpp"

namespace graft {

// Returns the options with the headers of the code. Throws Error(InvalidArgument) for options that own kernels do not
// have.
Options own_kernel_options(const std::shared_ptr<Engine::Impl>& engine, const KernelCode& code,
                           const KernelCallbacks& callbacks, const Options& options);

}  // namespace graft
