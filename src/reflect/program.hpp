// The text that is compiled: the user's callback between graft's own lines.
//
//     #include "graft/device.h"
//     #include "graft/contract.h"
//     #include "graft/adapter.h"                                      <- templates, out of reach of the user's macros
//     #include "graft/behind.h"                                       <- their names for what stands behind the text
//     #define N 3                                                     <- Options::defines
//     #line 1 "callback.cu"
//     __device__ float relu(float x) { return x > 0 ? x : 0; }      <- the user's, untouched
//     #line 1 "graft_adapter"
//     #define GRAFT_CALLBACK ::relu
//     #define GRAFT_KERNEL graft_transform_relu
//     #define GRAFT_KERNEL_OPTIONS __launch_bounds__(256)
//     #include "graft/kernel.h"
//
// Behind the user's text every name begins with graft_ (building_blocks/behind.h).
//
// Pure: text in, text out, so golden texts test it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graft/options.hpp"

namespace graft::reflect {

// The file name that messages show for graft's own lines, so that they can be told from the user's.
inline constexpr std::string_view kAdapterLines = "graft_adapter";
inline constexpr std::string_view kDeclaredLines = "graft_declared_signature";
// The file name for the lines of Options::defines: line 2 is the second one.
inline constexpr std::string_view kDefineLines = "Options::defines";

struct ProgramParts {
  std::string callback_text;
  std::string callback_name;         // as messages show it
  std::string entry;                 // "relu", "math::relu", "scale<float>"; empty when the text is an expression
  bool entry_is_expression = false;  // the entry makes a function object: "Scale{}"
  bool text_is_expression = false;   // the text is a lambda
  bool pick_overload = false;        // the entry names several functions: `declared` says which
  std::string declared;              // a function type or a declaration: "float(float)", "float relu(float)"; or empty
  std::string kernel_name;           // in place of the one that follows from the entry; or empty
  bool is_without_kernel = false;    // the adapter's functions alone
  std::vector<std::byte> baked_state;  // folded into the kernel; empty: none
  int max_registers = 0;
  std::vector<Define> defines;  // in front of the text, where no header of graft's meets them
  std::string front;            // graft's own code, in front of those
  bool include_half = false;    // the text uses them without including their headers
  bool include_bfloat16 = false;
  bool include_cmath = false;

  // Of several callbacks made into one (building_blocks/compose.h): the distinct ones, each kept in a namespace of its
  // own, and the type that composes them: "graft_chain<graft_part_0, graft_part_1, graft_part_0>". Else empty.
  std::vector<ProgramParts> members;
  std::string composition;
  bool is_declaration = false;        // a binary's: its mangled name is that of the global namespace
  std::vector<std::string> extern_c;  // functions that the text defines extern "C": renamed, as a member
  int shared_bytes = 0;               // of dynamic shared memory, for load and store callbacks
};

// The names that members go by in compositions and messages: "graft_part_0", "graft_text_0".
inline constexpr std::string_view kPartName = "graft_part_";
inline constexpr std::string_view kTextName = "graft_text_";

// "graft_transform_relu", "graft_transform_scale_float", "graft_transform_lambda".
std::string kernel_name(const ProgramParts& parts);

std::string program_text(const ProgramParts& parts);

// The two halves of it, for a route that puts its own text around them: the callback with what stands in front, and
// the lines that make a kernel of it.
std::string callback_section(const ProgramParts& parts);
std::string kernel_section(const ProgramParts& parts);

// What calls the callback: "::math::scale<float>", or "graft_callback()" for an expression. A name is looked up from
// the global scope, so that graft's own names cannot hide it.
std::string call_expression(const ProgramParts& parts);

// For an adapter that is no template: the callback's text with `front` before it, and a kernel whose parameter is of
// the type `parameters` and begins with a graft_launch called `graft_l`.
std::string callback_behind(const ProgramParts& parts, std::string_view front);
std::string kernel_definition(const ProgramParts& parts, std::string_view parameters);

// Options::defines as lines of the text. An empty line behind each takes what a value's last backslash would join.
std::string defines_section(const std::vector<Define>& defines);

// The user's text with nothing but declarations of graft's in front. Of an expression a function that returns it: it
// has no name to call, but its mistakes can be told.
std::string text_alone(const ProgramParts& parts);

// A declared signature as a function type: the function's name, if there is one, is dropped.
std::string function_type(std::string_view declared);

// What NVRTC is asked to lower: the callback's probe, and the declared type's.
inline constexpr std::string_view kProbe = "&graft_probe<graft_function, graft_facts>";
inline constexpr std::string_view kDeclaredProbe = "&graft_probe<graft_declared, graft_declared_facts>";

}  // namespace graft::reflect
