// Translates Options into flags for NVRTC and nvJitLink. Floating-point options go to the compiler and again to the
// linker: `--fmad=false` given to the compiler only is lost when LTO-IR is linked. Pure.
#pragma once

#include <string>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/options.hpp"

namespace graft::compile {

// What NVRTC makes: LTO-IR, PTX or machine code (Object) for a linker, or a whole kernel as a cubin or PTX.
enum class CodeKind { LtoIr, Ptx, Object, Cubin, WholePtx };

// Turns two warnings into errors: a `return;` that lacks its value (117), and a path to a function's end that lacks a
// return (940).
inline constexpr const char* kReturnsRequired = "--diag-error=117,940";

// Flags for NVRTC. `minimal` leaves out what textures and CUB need, and saves 4.5 ms of 15.8. Options::defines do not
// become flags, because graft's own headers and NVRTC's would see them; they are lines of the program
// (codegen/program.hpp).
std::vector<std::string> compile_flags(const Options& options, Architecture architecture, bool minimal,
                                       CodeKind kind = CodeKind::LtoIr);

// Flags for nvJitLink: for a link of LTO-IR, or, with any other kind, of PTX and machine code.
std::vector<std::string> link_flags(const Options& options, Architecture architecture, CodeKind kind = CodeKind::LtoIr);

// Throws Error(InvalidArgument) for values that no tool accepts.
void check_options(const Options& options);

}  // namespace graft::compile
