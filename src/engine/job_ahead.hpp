// Makes the kernels of a job ahead of time: as images for one architecture, or as a pack for many.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"

namespace graft::engine {

// Builds the kernels for an architecture or, if the options require the host route, for the host. They are in the order
// of the schedule. `options` are as TakenOptions returned them. Throws what Engine::Impl::find_or_build throws.
std::vector<Image> build(const std::shared_ptr<Engine::Impl>& engine, const JobKernels& kernels,
                         Architecture architecture, const Options& options);

// Compiles one kernel ahead of time for these architectures, here (Engine::Impl::precompile) or in a child process.
using PrecompileStep = std::function<base::Bytes(const Step&, const std::vector<Architecture>&)>;

// Compiles the kernels ahead of time, by calls of `precompile_step` from several threads. The pack is compressed
// (format/compressed_pack.hpp), while the packs that `precompile_step` returns are not. Throws Error(InvalidArgument)
// if no architecture is given, or if the job is more than its callback and the format is no pack; and what
// `precompile_step` throws.
base::Bytes precompile(const PrecompileStep& precompile_step, const JobKernels& kernels,
                       const std::vector<Architecture>& architectures, PrecompileFormat format, const Options& options);

// The same, here.
base::Bytes precompile(const std::shared_ptr<Engine::Impl>& engine, const JobKernels& kernels,
                       const std::vector<Architecture>& architectures, PrecompileFormat format, const Options& options);

}  // namespace graft::engine
