// Reads a callback binary (LTO-IR, fatbin, PTX, cubin, object, archive). The result contains the linker's inputs, and
// the facts that graft can read from the bytes before a linker runs: architectures, functions and prototypes.
//
// nvJitLink checks almost nothing and reports little of what it finds. For example, nvJitLink links a binary for
// another architecture, two functions with the same name, or a function with another signature without an error, and
// the kernel is wrong. Therefore graft checks binaries before they are linked.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "codegen/source_program.hpp"
#include "format/ptx.hpp"
#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "plan/route.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::link {

struct CallbackBinary {
  plan::Material material;  // which forms of device code the bytes contain for the architecture
  // The linker's inputs, which are views of the callback's bytes, and behind them the views of its link inputs
  // (Callback::with_link_input). Empty for a source without link inputs.
  std::vector<toolchain::LinkInput> inputs;
  std::size_t link_input_count = 0;  // how many of `inputs` are link inputs
  // The symbols that another module can call, as far as the bytes show them.
  std::vector<std::string> functions;
  // The symbols in `functions` that are not weak. No other binary may define the same symbol.
  std::vector<std::string> own_functions;
  bool lists_all_functions = false;  // whether `functions` is complete; graft cannot read LTO-IR and compressed code
  // The prototypes of functions in PTX, and of functions in machine code that records their prototypes.
  std::vector<format::PtxFunction> prototypes;
  // What `own_functions` and `prototypes` are for the callback, for its link inputs: maps from a function's symbol to
  // the name of the input and to the prototype. Libraries have many thousands of functions.
  std::unordered_map<std::string, std::string> linked_functions;
  std::unordered_map<std::string, format::PtxFunction> linked_prototypes;

  bool has_own_inputs() const noexcept { return inputs.size() > link_input_count; }
};

// The input of a build by one of the routes. A route is one way to build a kernel (compile the source, link LTO-IR,
// link PTX, ...). The input consists of the callback, its prepared source program, its examined binary, and the
// architecture and options of the build.
struct CallbackRequest {
  const Callback& callback;
  const codegen::SourceProgram& program;
  const CallbackBinary& binary;
  Architecture architecture;
  const Options& options;
};

// Examines a callback's bytes and those of its link inputs; for a composition, those of all its parts. Without an
// architecture, code for every architecture counts. Throws Error(ImageRefused) if the bytes are of another form than
// the callback says, are damaged, or contain no code for the architecture.
CallbackBinary examine(const Callback& callback, std::optional<Architecture> architecture);

// Returns the symbol of the callback's function, for a route that has no compiler to mangle the name. `callback` is the
// callback's name in messages. Throws Error(NoSuchEntry, AmbiguousEntry).
std::string find_symbol(const CallbackBinary& image, const codegen::SourceProgram& program, const Signature& signature,
                        const std::string& callback);

// Compares the function `symbol` with the signature, as far as PTX or machine code records the function's parameters:
// their number, their sizes, and whether they are integers or floating-point numbers. Types such as .s32 and .f32 show
// whether a parameter is an integer or a floating-point number. NVIDIA's compilers declare both kinds as .b32; then
// only the number of the parameters and their sizes are compared. Throws Error(SignatureMismatch, NoSuchEntry).
void check_prototype(const CallbackBinary& image, const std::string& symbol, const Signature& signature,
                     const std::string& title);

// Compares the functions of compiled PTX with those of the callback's link inputs: `title` is the name of what was
// compiled to this PTX. Throws Error(LinkFailed) if a function is defined in both, or if the PTX calls a function with
// parameters or a result of other sizes than it has. nvJitLink and the driver's linker report neither as an error.
void check_link_inputs(const base::Bytes& ptx, const CallbackBinary& image, const std::string& title);

// Calls check_prototype for the compiled parts of a composition that are extern "C" and whose types graft knows.
void check_parts(const Callback& composition, const CallbackBinary& image);

// Returns notes for the report on a compiled callback if neither the function's mangled name nor its code shows all
// types, so that nothing confirms the declared types. Empty otherwise.
std::vector<std::string> unconfirmed_types(const Callback& callback, const CallbackBinary& image,
                                           const Options& options);

}  // namespace graft::link
