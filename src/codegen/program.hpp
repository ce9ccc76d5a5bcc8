// Writes the text that is compiled: the user's callback between graft's own lines.
//
//     #include "graft/device.h"
//     #include "graft/contract.h"
//     #include "graft/adapter.h"                                      <- templates, out of reach of the user's macros
//     #include "graft/behind.h"                                       <- graft_ names for them, used after the text
//     #define N 3                                                     <- Options::defines
//     #line 1 "callback.cu"
//     __device__ float relu(float x) { return x > 0 ? x : 0; }      <- the user's, untouched
//     #line 1 "graft_adapter"
//     #define GRAFT_CALLBACK ::relu
//     #define GRAFT_KERNEL graft_transform_relu
//     #define GRAFT_KERNEL_OPTIONS __launch_bounds__(256)
//     #include "graft/kernel.h"
//
// After the user's text, graft uses only names that begin with graft_ or GRAFT_, because the user's macros apply there
// (building_blocks/behind.h).
//
// Pure: text in, text out, so golden texts test it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graft/options.hpp"

namespace graft::codegen {

// File names for #line directives. Compiler messages show them, which tells graft's own lines from the user's and from
// a declared signature.
inline constexpr std::string_view kAdapterLines = "graft_adapter";
inline constexpr std::string_view kDeclaredLines = "graft_declared_signature";
// The file name for Options::defines: line 2 is the second define.
inline constexpr std::string_view kDefineLines = "Options::defines";

struct ProgramParts {
  std::string callback_text;
  std::string callback_name;         // as messages show it
  std::string entry;                 // "relu", "math::relu", "scale<float>"; empty when the text is an expression
  bool entry_is_expression = false;  // the entry makes a function object: "Scale{}"
  bool text_is_expression = false;   // the text is a lambda
  bool pick_overload = false;        // the entry names several functions: `declared` says which
  std::string declared;              // a function type or a declaration: "float(float)", "float relu(float)"; or empty
  std::string kernel_name;           // replaces the name that is derived from the entry, unless it is empty
  bool is_without_kernel = false;    // write the adapter's functions, but no kernel
  std::vector<std::byte> baked_state;  // folded into the kernel; empty: none
  int max_registers = 0;
  std::vector<Define> defines;  // in front of the text and behind graft's headers, which must not see them
  std::string front;            // graft's own code, in front of the defines
  bool include_half = false;    // the text uses half, bfloat16 or std without including the header
  bool include_bfloat16 = false;
  bool include_cmath = false;

  // For compositions (building_blocks/compose.h), else empty: the distinct callbacks, each of which gets a namespace of
  // its own, and the type that composes them: "graft_chain<graft_part_0, graft_part_1, graft_part_0>".
  std::vector<ProgramParts> members;
  std::string composition;
  bool is_declaration = false;        // of a binary's function: it must be in the global namespace, as its mangled name
  std::vector<std::string> extern_c;  // functions that the text defines extern "C"; renamed if it is a member
  int shared_bytes = 0;               // of dynamic shared memory, for load and store callbacks
};

// The names of members in compositions and messages begin so: "graft_part_0", "graft_text_0".
inline constexpr std::string_view kPartName = "graft_part_";
inline constexpr std::string_view kTextName = "graft_text_";

// "graft_transform_relu", "graft_transform_scale_float", "graft_transform_lambda".
std::string kernel_name(const ProgramParts& parts);

// The whole text.
std::string program_text(const ProgramParts& parts);

// The two halves of program_text(), for a route that puts its own text around them: graft's headers and the callback,
// and the lines that make a kernel of it.
std::string callback_section(const ProgramParts& parts);
std::string kernel_section(const ProgramParts& parts);

// The expression that graft calls: "::math::scale<float>", or "graft_callback()" for an expression. A name is looked up
// from the global scope, so that graft's own names cannot hide it.
std::string call_expression(const ProgramParts& parts);

// For exact adapters: the callback's text with `front` before it, and a kernel whose parameter has the type
// `parameters`, a struct with the first member `graft_launch graft_l`.
std::string callback_behind(const ProgramParts& parts, std::string_view front);
std::string kernel_definition(const ProgramParts& parts, std::string_view parameters);

// Options::defines as lines of the text. An empty line follows each, so that a value that ends in a backslash joins
// that line and not the next define.
std::string defines_section(const std::vector<Define>& defines);

// The user's text behind graft's declarations, without an adapter. An expression becomes a function that returns it:
// it cannot be called by name, but the compiler reports its mistakes.
std::string text_alone(const ProgramParts& parts);

// Converts a declared signature to a function type, by dropping the function's name if there is one.
std::string function_type(std::string_view declared);

// The name expressions whose mangled names NVRTC returns: the probe of the callback, and that of the declared type.
inline constexpr std::string_view kProbe = "&graft_probe<graft_function, graft_facts>";
inline constexpr std::string_view kDeclaredProbe = "&graft_probe<graft_declared, graft_declared_facts>";

}  // namespace graft::codegen
