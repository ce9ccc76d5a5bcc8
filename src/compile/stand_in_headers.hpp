// graft's own <cufft.h>, <cufftXt.h>, <cuComplex.h> and <cuda.h> (building_blocks/std), with which callbacks that were
// written for cuFFT compile unchanged. They stand for NVIDIA's headers of these names, which declare host functions or
// types that the host route has too. A compiler takes a header in memory before every file of its name, so graft gives
// one of these headers only where the callback could not include a file of the user's under the same name.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/source_program.hpp"
#include "graft/options.hpp"
#include "plan/header_scan.hpp"

namespace graft::compile {

enum class HeaderReader : bool { Nvrtc, HostCompiler };

// Whether graft has a header of this name that stands for one of NVIDIA's.
bool is_stand_in(std::string_view name);

// Returns the names of the headers that graft gives to the compiler. A file of NVIDIA's counts as the user's only where
// the compiler can read its functions: under NVRTC with --device-as-default-execution-space. Headers in memory
// (Options::headers) do not count here; they replace graft's of the same name anyway. `scan` is the scan of the
// request; if it is null, the user's files are searched again.
std::vector<std::string_view> stand_ins_for(const codegen::SourceProgram& program, const Options& options,
                                            HeaderReader reader, const plan::HeaderScan* scan = nullptr);

}  // namespace graft::compile
