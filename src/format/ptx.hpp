// Reads the facts in PTX text that matter for linking: the PTX version, the target, and each function's name, linkage
// and parameters.
//
//     .visible .func (.param .align 4 .b8 r[8]) _Z5scale7ComplexRd(.param .align 4 .b8 p0[8], .param .b64 p1) { ... }
//
// The reader works on tokens, because comments and strings may contain text that looks like a declaration. The reader
// skips function bodies by counting braces. PTX has few types, so graft compares a C++ signature with the number, the
// sizes and the alignments of the parameters. PTX passes integers below 4 bytes as 4 bytes, and references and pointers
// as 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/version.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"

namespace graft::format {

struct PtxParameter {
  // Whether the PTX type shows an integer or a floating-point number: Integer for .s32 or .u64, Float for .f32, Unknown
  // for .b32. NVIDIA's compilers from 12.4 to 13.0 were seen to declare all parameters as .b32 and .b64.
  enum Number : std::uint8_t { Unknown, Integer, Float };
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  Number number = Unknown;
  bool operator==(const PtxParameter&) const = default;
};

struct PtxFunction {
  // The linking directive of the declaration. Other modules can call Visible and Weak functions only.
  enum Linkage : std::uint8_t { Local, Visible, Weak, Extern };
  std::string_view name;
  Linkage linkage = Local;
  bool is_kernel = false;             // .entry
  bool is_defined = false;            // has a body
  std::string_view body = {};         // from the opening brace to the closing brace
  std::vector<PtxParameter> results;  // compilers write at most one
  std::vector<PtxParameter> parameters;

  // Whether the text defines this function, and other modules can call it.
  bool is_callable() const noexcept { return is_defined && !is_kernel && (linkage == Visible || linkage == Weak); }
};

// All names are views into the text passed to read_ptx.
struct Ptx {
  Version version;
  Architecture target;
  std::vector<PtxFunction> functions;  // each name occurs once; a definition replaces the declarations of its function

  const PtxFunction* find(std::string_view name) const noexcept;
};

// Whether the first token after comments is `.version`.
bool is_ptx(std::string_view text) noexcept;
Outcome<Ptx> read_ptx(std::string_view text);

// A call of a function by its name. `behind` is the text behind the name, to the end of the block in which a compiler
// writes the call, the loads of its arguments and that of its result.
struct PtxCall {
  std::string_view callee;
  std::string_view behind;
};
std::vector<PtxCall> read_calls(std::string_view text);

// A variable that the text uses and does not define.
struct PtxVariable {
  std::string_view name;
  std::string_view type;  // "u32", "b8", "f32"
  bool is_array = false;
};
// Returns the undefined variables, as NVIDIA's compilers declare them: ".extern .global .align 4 .f32 w;" or ".extern
// .const .align 4 .b8 t[16];". Dynamic shared memory (".extern .shared .align 4 .b8 s[];") does not count: all that a
// kernel and its functions declare is one array.
std::vector<PtxVariable> undefined_variables(std::string_view text);
bool has_dynamic_shared_memory(std::string_view text) noexcept;

}  // namespace graft::format
