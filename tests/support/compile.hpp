// Compiling callbacks in tests that need a toolkit and no GPU.
#pragma once

#include <stdexcept>
#include <string>

#include "build/lto_compile.hpp"
#include "build/lto_route.hpp"
#include "build/toolbox.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {

// The tools of this machine, opened once for the test program.
inline const building::Toolbox& toolbox() {
  static const building::Toolbox tools({}, {}, 0);
  return tools;
}

// The signature alone: scanned and compiled, not linked.
inline Signature signature_of(const Callback& callback, const Options& options = {}) {
  std::string why;
  const auto nvrtc = toolbox().toolkit().nvrtc(why);
  if (!nvrtc) throw std::runtime_error(why);
  const building::SourceProgram program = building::prepare_source(callback, options);
  return building::compile_ltoir(program, Architecture(75), options, *nvrtc, toolbox().toolkit().include_folder(), {})
      .signature;
}

}  // namespace graft::test
