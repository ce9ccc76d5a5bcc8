// Options as the tools' flags. Floating-point options go to the compiler and again to the linker: `--fmad=false` given
// to the compiler alone is lost when LTO-IR is linked. Pure.
#pragma once

#include <string>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/options.hpp"

namespace graft::building {

// What NVRTC is to make: LTO-IR, PTX or machine code that goes to a linker, or a whole kernel as a cubin or PTX.
enum class CodeKind { LtoIr, Ptx, Object, Cubin, WholePtx };

// Makes errors of two warnings: a `return;` that lacks its value, and a path to a function's end that lacks a return.
inline constexpr const char* kReturnsRequired = "--diag-error=117,940";

// For NVRTC. `minimal` leaves out what textures and CUB need, and saves 4.5 ms of 15.8. Options::defines are no flags:
// graft's own headers, and NVRTC's, would meet them (reflect/program.hpp).
std::vector<std::string> compile_flags(const Options& options, Architecture architecture, bool minimal,
                                       CodeKind kind = CodeKind::LtoIr);

// For nvJitLink: of LTO-IR, or of PTX and machine code.
std::vector<std::string> link_flags(const Options& options, Architecture architecture, CodeKind kind = CodeKind::LtoIr);

// Throws Error(InvalidArgument) for values that no tool takes.
void check_options(const Options& options);

}  // namespace graft::building
