// Compiling callbacks ahead of time, on a machine with a toolkit; no GPU is needed.
//
//     const std::vector<std::byte> bytes = graft::Callback::file("gain.cu").precompile({75, 90});
//     ...                                                          // on another machine, without a compiler
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
  // A pack, for Callback::pack. A pack that is made from source holds LTO-IR for each architecture, and PTX for the
  // oldest of these architectures; newer architectures run this PTX too. A pack that is made from LTO-IR, from NVVM IR
  // or from a composition with callback binaries holds no PTX. A pack that is made from PTX holds no LTO-IR. nvJitLink
  // links the LTO-IR or the PTX; the driver's linker can link the PTX. NVRTC is needed in one case only: nvJitLink
  // cannot read the LTO-IR that graft ships, because nvJitLink is of another CUDA major version or is older than the
  // CUDA toolkit with which graft was built.
  Pack,
  // A pack that also holds a linked kernel for each given architecture. A GPU of exactly one of these architectures
  // then needs only the driver.
  PackWithCubins,

  // The following formats are for use without graft, for instance with nvJitLink or cuFFT. They contain only the
  // source's functions, compiled with -rdc=true so that other modules can call them. graft adds no code and selects no
  // entry function.
  LtoIr,   // LTO-IR, for one architecture
  Fatbin,  // LTO-IR for each architecture, and PTX for the oldest architecture; needs libnvfatbin
  Ptx,     // PTX text, for one architecture
  Cubin,   // relocatable machine code, for one architecture
};

// Returns the name as messages show it: "pack", "pack with cubins", "LTO-IR", "fatbin", "PTX", "cubin".
GRAFT_API std::string_view name(PrecompileFormat format) noexcept;

// Compiles a callback for these architectures and returns the bytes of the file. A pack records the options that it was
// made with (floating point, max_registers, shared_bytes, C++ standard, line info, baked state); they hold for every
// kernel made from the pack. A pack also records the tuning of each linked kernel that it contains.
//
//     format               made from
//     Pack                 source, LTO-IR, PTX, NVVM IR, and compositions of them
//     PackWithCubins       as for Pack, and also fatbins and objects
//     LtoIr                source, NVVM IR
//     Fatbin, Ptx, Cubin   source
//
// Thread-safe. Throws Error: InvalidArgument for a format and a form that this table does not combine, ToolMissing, and
// what create throws.
GRAFT_API std::vector<std::byte> precompile(Engine& engine, const Callback& callback,
                                            const std::vector<Architecture>& architectures,
                                            PrecompileFormat format = PrecompileFormat::Pack,
                                            const Options& options = {});

}  // namespace graft
