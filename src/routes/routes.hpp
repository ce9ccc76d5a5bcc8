// The routes: how a request becomes a kernel. Each is a file of its own, which begins with what the route does.
// routes/builder.hpp chooses one of them.
//
//     lto_route       callback and adapter as LTO-IR, linked with graft's building blocks
//     program_route   callback, adapter and building block as one program
//     ptx_route       the kernel as a PTX module, linked with the callback's PTX or machine code
//     indirect_route  a kernel that calls the callback through a pointer
//     host_route      callback and adapter, compiled for the CPU
//     slot_route      own kernels of the user's, linked with the callbacks of their slots
//     pack_route      each of these from the parts of a pack
//
// The functions that take an image write the kernel and the report into it. All functions throw Error.
#pragma once

#include <optional>

#include "compile/device_compile.hpp"
#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "graft/kernel.hpp"
#include "link/callback_binary.hpp"
#include "own_kernels/code_cache.hpp"
#include "routes/pack_contents.hpp"
#include "routes/stopwatch.hpp"

namespace graft::routes {

// ---- lto_route.cpp ----

// The result of compiling callback and adapter together, and the kernel spec that they were compiled for.
struct Adapted {
  compile::Compiled compiled;
  families::Decided decided;
  bool is_second_compile = false;  // true if an exact adapter was compiled first and did not fit
};

// Compiles callback and adapter. Needs only NVRTC. If the callback's text does not show the types of its parameters and
// result, first runs a compile that only reads the signature, and reports the time of this compile as a separate step.
Adapted adapt(const link::CallbackRequest& request, const compile::OpenTools& tools, Stopwatch& watch);

// build_lto() compiles and links; link_lto() only links a callback that adapt() has compiled.
void build_lto(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);
void link_lto(const link::CallbackRequest& request, const compile::OpenTools& tools, Adapted adapted,
              Image::Data& image);

// Returns whether the callback may be slow to link in the vector body. If so, the rolled body is linked first
// (best_body.hpp).
bool looks_heavy(const compile::Compiled& compiled, const codegen::SourceProgram& program, const Callback& callback);

// ---- program_route.cpp ----

void build_program(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// ---- ptx_route.cpp ----

void build_ptx(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// Returns the newest architecture for which NVRTC can compile PTX that also runs on the architecture `wanted`.
Architecture ptx_architecture(Architecture wanted, const toolchain::Nvrtc& nvrtc);

// Returns the texts of the inputs of a link that are PTX.
std::vector<std::string> ptx_in(const std::vector<toolchain::LinkInput>& inputs);

// ---- indirect_route.cpp ----

void build_indirect(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// Returns the signature of a callback binary if graft knows all of its types. Returns nothing if only a compiler can
// determine the signature.
std::optional<Signature> signature_without_compiler(const Callback& callback, const Options& options);

// ---- host_route.cpp ----

void build_host_route(const codegen::SourceProgram& program, const Options& options, const compile::OpenTools& tools,
                      Image::Data& image);

// ---- slot_route.cpp ----

// Builds the kernels of the step, whose callback is their code with the callbacks of its slots. `cache` has the codes
// that were compiled and read before; null: none is kept. read_slots() says what the code has, without callbacks. Throw
// the errors of graft::Kernel::create.
Image::Data build_slots(const Step& step, Architecture architecture, const Options& options,
                        const compile::Toolbox& toolbox, const plan::HeaderScan* scan, own_kernels::CodeCache* cache);
KernelShape read_slots(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox);

// ---- pack_route.cpp ----

struct PackRequest {
  const PackContents& contents;
  Route route;
  Architecture architecture;
  const Options& options;
};

void build_from_pack(const PackRequest& request, const compile::OpenTools& tools, Image::Data& image);

}  // namespace graft::routes
