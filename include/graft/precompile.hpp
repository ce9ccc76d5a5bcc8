// What a callback can be compiled to ahead of time, on a machine with a toolkit and without a GPU.
//
//     const std::vector<std::byte> bytes = graft::Callback::file("gain.cu").precompile({75, 90});
//     ...                                                          // elsewhere, without a compiler
//     graft::Transform gain = graft::Transform::create(graft::Callback::pack(bytes));
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/export.hpp>
#include <graft/options.hpp>

namespace graft {

class Callback;
class Engine;

enum class PrecompileFormat : std::uint8_t {
  // For graft: Callback::pack takes it. Of source it holds LTO-IR for each architecture, and PTX for the oldest one,
  // which
  // serves newer ones too; of LTO-IR and NVVM IR no PTX, of PTX no LTO-IR, and of a composition with compiled parts no
  // PTX. Kernels are made of it by nvJitLink, or of PTX by the driver's linker. NVRTC is needed only where nvJitLink
  // cannot link graft's own block (another CUDA major version, or older than graft was built with) and links LTO-IR.
  Pack,
  // The same with finished kernels: on exactly these architectures nothing but the driver is needed.
  PackWithCubins,

  // For nvJitLink, cuFFT and others, without graft: the source alone, compiled so that its functions can be called from
  // outside. graft adds nothing to it, and no function of it is chosen.
  LtoIr,   // for one architecture
  Fatbin,  // LTO-IR for each architecture, and PTX for the oldest one; needs libnvfatbin
  Ptx,     // text, for one architecture
  Cubin,   // relocatable machine code, for one architecture
};

// "pack", "pack with cubins", "LTO-IR", "fatbin", "PTX", "cubin".
GRAFT_API std::string_view name(PrecompileFormat format) noexcept;

// Compiles a callback for these architectures. A pack remembers floating-point options, register ceiling, shared
// memory, C++ standard, line info, baked state and, of each kernel that it holds, the policy: they belong to it, and a
// kernel made of it has them. Packs are made of source, LTO-IR, PTX and NVVM IR; of fatbins and objects only with
// cubins; the plain formats are made of source, and LTO-IR of NVVM IR too. Thread-safe. Throws Error: InvalidArgument
// for a combination that cannot be, ToolMissing, and what create throws.
GRAFT_API std::vector<std::byte> precompile(Engine& engine, const Callback& callback,
                                            const std::vector<Architecture>& architectures,
                                            PrecompileFormat format = PrecompileFormat::Pack,
                                            const Options& options = {});

}  // namespace graft
