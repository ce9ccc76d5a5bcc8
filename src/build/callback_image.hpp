// A binary callback as its bytes show it: what a linker is given of it, and what can be known before one is asked.
//
// nvJitLink checks next to nothing, and says little of what it finds: an image for another architecture, two functions
// of one name and a function of another shape all link, into a kernel that is wrong. So graft looks first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/ptx.hpp"
#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "plan/route.hpp"
#include "reflect/source_program.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::building {

struct CallbackImage {
  plan::Material material;
  std::vector<toolchain::LinkInput> inputs;     // views of the callback's bytes; none of a source
  std::vector<std::string> functions;           // symbols that another module can call, where they can be read
  std::vector<std::string> own_functions;       // those of them that no other image may define too: not the weak ones
  bool shows_functions = false;                 // they can: all there are stand in `functions`
  std::vector<format::PtxFunction> prototypes;  // of those in PTX and, as far as it says so, in machine code
};

// What a route builds.
struct CallbackRequest {
  const Callback& callback;
  const reflect::SourceProgram& program;
  const CallbackImage& binary;
  Architecture architecture;
  const Options& options;
};

// Throws Error(ImageRefused) for bytes that are something else, damaged, or hold nothing for the architecture.
CallbackImage examine(const Callback& callback, std::optional<Architecture> architecture);

// The symbol of the callback's function, for a route that has no compiler to mangle the name. Throws
// Error(NoSuchEntry, AmbiguousEntry).
std::string find_symbol(const CallbackImage& image, const reflect::SourceProgram& program, const Signature& signature,
                        const std::string& callback);

// Compares the function of that name with the signature, as far as PTX or machine code keeps its parameters: how many,
// their sizes, and whether one is an integer or a floating-point number where the code declares it as such (.s32, .f32;
// NVIDIA's compilers declare .b32 for both). Throws Error(SignatureMismatch, NoSuchEntry).
void check_prototype(const CallbackImage& image, const std::string& symbol, const Signature& signature,
                     const std::string& title);

// Checks the compiled parts of a composition in the same way: those that are extern "C" and whose types graft knows.
void check_parts(const Callback& composition, const CallbackImage& image);

// What a user should know of a compiled callback whose declared types nothing confirms; empty where the function's
// mangled name or its code shows all of them.
std::vector<std::string> unconfirmed_types(const Callback& callback, const CallbackImage& image,
                                           const Options& options);

}  // namespace graft::building
