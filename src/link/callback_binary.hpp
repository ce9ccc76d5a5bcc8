// Reads a callback binary (LTO-IR, fatbin, PTX, cubin, object, archive). The result holds the linker's inputs, and what
// the bytes show before a linker runs: architectures, functions and prototypes.
//
// nvJitLink checks almost nothing and reports little of what it finds. A binary for another architecture, two functions
// with one name, and a function with another signature all link, into a wrong kernel. Therefore graft checks binaries
// before they are linked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/source_program.hpp"
#include "format/ptx.hpp"
#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "plan/route.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::link {

struct CallbackBinary {
  plan::Material material;
  // The linker's inputs, which are views of the callback's bytes. Empty for a source.
  std::vector<toolchain::LinkInput> inputs;
  // The symbols that another module can call, as far as the bytes show them.
  std::vector<std::string> functions;
  // Those of `functions` that are not weak. No other binary may define them too.
  std::vector<std::string> own_functions;
  bool shows_functions = false;  // true if `functions` is complete
  // The prototypes of functions in PTX, and of functions in machine code that records their prototypes.
  std::vector<format::PtxFunction> prototypes;
};

// A route's task: the callback, in all forms that the route needs, and what to build it for.
struct CallbackRequest {
  const Callback& callback;
  const codegen::SourceProgram& program;
  const CallbackBinary& binary;
  Architecture architecture;
  const Options& options;
};

// Examines a callback's bytes; for a composition, those of all its parts. Without an architecture, code for every
// architecture counts. Throws Error(ImageRefused) for bytes that are of another form, damaged, or hold nothing for the
// architecture.
CallbackBinary examine(const Callback& callback, std::optional<Architecture> architecture);

// Returns the symbol of the callback's function, for a route that has no compiler to mangle the name. `callback` is the
// callback's name in messages. Throws Error(NoSuchEntry, AmbiguousEntry).
std::string find_symbol(const CallbackBinary& image, const codegen::SourceProgram& program, const Signature& signature,
                        const std::string& callback);

// Compares the function `symbol` with the signature, as far as PTX or machine code records the function's parameters:
// their number, their sizes, and whether they are integers or floating-point numbers. Code declares the latter by types
// such as .s32 and .f32; NVIDIA's compilers declare .b32 for both. Throws Error(SignatureMismatch, NoSuchEntry).
void check_prototype(const CallbackBinary& image, const std::string& symbol, const Signature& signature,
                     const std::string& title);

// Calls check_prototype for the compiled parts of a composition that are extern "C" and whose types graft knows.
void check_parts(const Callback& composition, const CallbackBinary& image);

// Returns notes for the report on a compiled callback if neither the function's mangled name nor its code shows all
// types, so that nothing confirms the declared types. Empty otherwise.
std::vector<std::string> unconfirmed_types(const Callback& callback, const CallbackBinary& image,
                                           const Options& options);

}  // namespace graft::link
