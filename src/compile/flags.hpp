// Translates Options into flags for NVRTC, nvJitLink and libNVVM, with pure functions. Both the compiler and the linker
// get the floating-point options, because a link of LTO-IR loses a `--fmad=false` that only the compiler got.
#pragma once

#include <string>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/options.hpp"

namespace graft::compile {

// The form of code that NVRTC makes. LtoIr, Ptx and Object (machine code) are for a linker. Cubin and WholePtx are a
// whole kernel.
enum class CodeKind { LtoIr, Ptx, Object, Cubin, WholePtx };

// Turns two warnings of NVRTC into errors: number 117, a `return;` without a value, and number 940, a path to the end
// of a function without a return.
inline constexpr const char* kReturnsRequired = "--diag-error=117,940";

// Turns off the warning that a macro is defined again with another text. <cuda/std/cmath> redefines
// INFINITY and NAN, which graft/device.h defines.
inline constexpr const char* kMacrosMayChange = "--diag-suppress=47";

// Lets a callback use __int128, as nvcc does. NVRTC refuses it otherwise.
inline constexpr const char* kWideIntegers = "--device-int128";

// The flags for NVRTC. If `minimal` is set, NVRTC leaves out its declarations for textures and CUB, and a compile takes
// 11.3 ms and not 15.8 ms. Options::defines do not become flags, because graft's headers and NVRTC's
// headers would see the macros; instead they become lines of the program (codegen/program.hpp).
std::vector<std::string> compile_flags(const Options& options, Architecture architecture, bool minimal,
                                       CodeKind kind = CodeKind::LtoIr);

// The flags for nvJitLink. With CodeKind::LtoIr they are for a link of LTO-IR, with any other kind for a link of PTX
// and machine code. -fma=0 reaches only nvJitLink's optimiser. Its assembler gets a flag of its own, because it fuses
// products and sums that have no rounding modifier, such as those of cuda_fp16.h (`mul.f16x2`) or of a callback in PTX.
// NVRTC hands -fmad on to its assembler.
std::vector<std::string> link_flags(const Options& options, Architecture architecture, CodeKind kind = CodeKind::LtoIr);

// The flags for libNVVM, which compiles NVVM IR to LTO-IR.
std::vector<std::string> nvvm_flags(const Options& options, Architecture architecture);

}  // namespace graft::compile
