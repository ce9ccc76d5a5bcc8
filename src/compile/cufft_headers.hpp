// graft's own <cufft.h> and <cufftXt.h> (building_blocks/std), with which callbacks that were written for cuFFT compile
// unchanged. A compiler takes a header in memory before every file of its name, so graft gives one of these two only
// where the callback could not include a file of the user's under the same name.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/source_program.hpp"
#include "graft/options.hpp"

namespace graft::compile {

enum class CufftReader : bool { Nvrtc, HostCompiler };

// Returns whether graft has a header of this name that stands for one of cuFFT's.
bool stands_for_cufft(std::string_view name);

// Returns the names of the headers that graft gives to the compiler. A file of NVIDIA's counts as the user's only where
// the compiler can read its functions: under NVRTC with --device-as-default-execution-space. Headers in memory
// (Options::headers) do not count here; they replace graft's of the same name anyway.
std::vector<std::string_view> own_cufft_headers(const codegen::SourceProgram& program, const Options& options,
                                                CufftReader reader);

}  // namespace graft::compile
