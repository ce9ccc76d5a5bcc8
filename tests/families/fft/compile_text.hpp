// Compiles the text of an FFT's kernel to machine code.
#pragma once

#include <stdexcept>
#include <string>

#include "base/format.hpp"
#include "compile/compile_headers.hpp"
#include "support/compile.hpp"

namespace graft::test {

// Throws std::runtime_error if there is no NVRTC. Errors of the compiler are in the result.
inline toolchain::NvrtcResult compile_text(const std::string& text, int architecture) {
  const compile::OpenTools tools = compile::open_tools({}, toolbox());
  if (!tools.nvrtc) throw std::runtime_error(tools.states.nvrtc.why_not);
  codegen::SourceProgram of_family;
  of_family.family = "fft";
  const Options options;
  toolchain::NvrtcProgram program;
  program.headers = compile::device_headers(of_family, options);
  program.source = text;
  program.name = "fft.cu";
  program.output = toolchain::NvrtcOutput::Cubin;
  program.options =
      toolchain::nvrtc_options({base::format("-arch=sm_{}", architecture), "-std=c++17"}, tools.nvrtc->version());
  return tools.nvrtc->compile(program);
}

}  // namespace graft::test
