// Compiles several callbacks ahead of time into one pack (graft::precompile_several).
//
// Each callback has kernels and code of its own: a kernel's code calls functions of fixed names
// (building_blocks/README.md), so one module of LTO-IR cannot have those of two. The pack is compressed as a whole,
// which finds what the PTX of the callbacks has in common. LTO-IR is encrypted, so nothing of it is found twice: a pack
// of ten callbacks has 0.8 of the bytes of their ten packs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/engine_impl.hpp"
#include "engine/job_ahead.hpp"
#include "graft/pack.hpp"

namespace graft::engine {

// `make_step` is called once in each thread that compiles.
using MakePrecompileStep = std::function<PrecompileStep()>;

// Throws what precompile_several throws.
base::Bytes precompile_several(const MakePrecompileStep& make_step, const std::vector<PackEntry>& entries,
                               const std::vector<Architecture>& architectures, PrecompileFormat format,
                               const Options& options);

// The same, here.
base::Bytes precompile_several(const std::shared_ptr<Engine::Impl>& engine, const std::vector<PackEntry>& entries,
                               const std::vector<Architecture>& architectures, PrecompileFormat format,
                               const Options& options);

}  // namespace graft::engine
