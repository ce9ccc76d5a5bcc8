// Reads a callback binary (LTO-IR, fatbin, PTX, cubin, object, archive): what a linker gets of it, and what its bytes
// show before a linker runs.
//
// nvJitLink checks next to nothing and reports little of what it finds: a binary for another architecture, two
// functions of one name, and a function with another signature all link, into a wrong kernel. So graft checks first.
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
  std::vector<toolchain::LinkInput> inputs;     // views of the callback's bytes; empty for a source
  std::vector<std::string> functions;           // symbols that another module can call, as far as the bytes show them
  std::vector<std::string> own_functions;       // those that are not weak: no other binary may define them too
  bool shows_functions = false;                 // `functions` is complete
  std::vector<format::PtxFunction> prototypes;  // of functions in PTX and, as far as it records them, in machine code
};

// What a route gets to build.
struct CallbackRequest {
  const Callback& callback;
  const codegen::SourceProgram& program;
  const CallbackBinary& binary;
  Architecture architecture;
  const Options& options;
};

// Throws Error(ImageRefused) for bytes that are of another form, damaged, or hold nothing for the architecture.
CallbackBinary examine(const Callback& callback, std::optional<Architecture> architecture);

// The symbol of the callback's function, for a route without a compiler to mangle the name. `callback` is its name for
// messages. Throws Error(NoSuchEntry, AmbiguousEntry).
std::string find_symbol(const CallbackBinary& image, const codegen::SourceProgram& program, const Signature& signature,
                        const std::string& callback);

// Compares the function `symbol` with the signature, as far as PTX or machine code records parameters: their number,
// their sizes, and whether they are integers or floating-point numbers if the code declares that (.s32, .f32; NVIDIA's
// compilers declare .b32 for both). Throws Error(SignatureMismatch, NoSuchEntry).
void check_prototype(const CallbackBinary& image, const std::string& symbol, const Signature& signature,
                     const std::string& title);

// check_prototype for those compiled parts of a composition that are extern "C" and whose types graft knows.
void check_parts(const Callback& composition, const CallbackBinary& image);

// Notes for the report on a compiled callback whose declared types nothing confirms. Empty if the function's mangled
// name or its code shows all types.
std::vector<std::string> unconfirmed_types(const Callback& callback, const CallbackBinary& image,
                                           const Options& options);

}  // namespace graft::link
