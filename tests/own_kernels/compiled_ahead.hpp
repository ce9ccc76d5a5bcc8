// Compiles kernels with slots as an author does ahead of time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "own_kernels/subjects.hpp"
#include "support/compile.hpp"

namespace graft::test {

// LTO-IR of a kernel with slots, as an author compiles it ahead.
inline std::vector<std::byte> compiled_ahead(const OwnKernel& kernel) {
  const compile::OpenTools tools = compile::open_tools({}, test::toolbox());
  toolchain::NvrtcProgram program;
  program.source = kernel.code;
  program.name = "kernel.cu";
  program.options = {"-arch=compute_90", "-dlto", "-rdc=true", "-std=c++20", "-default-device"};
  program.name_expressions = kernel.entries;
  for (std::string& expression : program.name_expressions) expression.insert(0, 1, '&');
  const toolchain::NvrtcResult result = tools.nvrtc->compile(program);
  EXPECT_TRUE(result.ok) << result.log;
  return {result.code.begin(), result.code.end()};
}

}  // namespace graft::test
