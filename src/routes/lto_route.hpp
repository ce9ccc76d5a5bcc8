// The lto route: NVRTC compiles callback and adapter to LTO-IR, and nvJitLink links them with graft's building blocks
// and with small LTO-IR files that define the constants of the tuning. The callback is inlined. For a callback binary,
// the adapter is compiled against the callback's declaration, and the binary is linked beside it.
#pragma once

#include <string>

#include "compile/device_compile.hpp"
#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "link/callback_binary.hpp"
#include "routes/stopwatch.hpp"

namespace graft::routes {

// The result of compiling callback and adapter together, and the kernel spec that they were compiled for.
struct Adapted {
  compile::Compiled compiled;
  families::Decided decided;
  bool is_second_compile = false;  // true if an exact adapter was compiled first and did not fit
};

// Compiles callback and adapter. Needs only NVRTC. If the callback's text does not show the types of its parameters and
// result, first runs a compile that only reads the signature, and reports the time of this compile as a separate step.
// Throws Error.
Adapted adapt(const link::CallbackRequest& request, const compile::OpenTools& tools, Stopwatch& watch);

// build_lto() compiles and links; link_lto() only links a callback that adapt() has compiled. Both functions write the
// kernel and the report into the image, and throw Error.
void build_lto(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);
void link_lto(const link::CallbackRequest& request, const compile::OpenTools& tools, Adapted adapted,
              Image::Data& image);

// Returns whether the callback may be slow to link in the vector body. If so, the rolled body is linked first
// (best_body.hpp).
bool looks_heavy(const compile::Compiled& compiled, const codegen::SourceProgram& program, const Callback& callback);

}  // namespace graft::routes
