// Writes the program that is compiled: the user's callback, with graft's own lines before and after it.
//
//     #include "graft/device.h"
//     #include "graft/contract.h"
//     #include "graft/adapter.h"                                      <- templates, out of reach of the user's macros
//     #include "graft/behind.h"                                       <- graft_ names for these templates
//     #define N 3                                                     <- Options::defines
//     #line 1 "callback.cu"
//     __device__ float relu(float x) { return x > 0 ? x : 0; }      <- the user's text, unchanged
//     #line 1 "graft_adapter"
//     #define GRAFT_CALLBACK ::relu
//     #define GRAFT_KERNEL graft_transform_relu
//     #define GRAFT_KERNEL_OPTIONS __launch_bounds__(256)
//     #include "graft/kernel.h"
//
// After the user's text, graft uses only names that begin with graft_ or GRAFT_, because the user's macros apply there
// (building_blocks/behind.h).
//
// All functions are pure: they convert text to text, so tests compare their results with golden files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/program_text.hpp"
#include "graft/options.hpp"
#include "reflect/callback/math_calls.hpp"
#include "reflect/text/text.hpp"

namespace graft::codegen {

struct ProgramParts {
  reflect::Text callback_text;
  std::string callback_name;  // the callback's name in messages: "callback.cu"
  // The headers that the text includes, or asks for by __has_include, from the folder of its own file
  // (Callback::with_folder). A compiler would not search there, so the program names them by their absolute paths.
  struct Neighbour {
    std::string name;  // as the text spells it: "x.h"
    std::string path;
  };
  std::vector<Neighbour> neighbours;
  std::string entry;                 // "relu", "math::relu", "scale<float>"; empty if the text is an expression
  bool entry_is_expression = false;  // the entry is an expression that makes a function object: "Scale{}"
  bool text_is_expression = false;   // the whole text is a lambda expression
  // The entry names several overloads, and the signature in `declared` selects the callback among them.
  bool pick_overload = false;
  // The declared signature, a function type or a declaration: "float(float)", "float relu(float)". Empty if there is
  // none.
  std::string declared;
  std::string kernel_name;             // the kernel's name; if empty, the name is derived from the entry
  bool is_without_kernel = false;      // the program has the adapter's functions, but no kernel
  std::vector<std::byte> baked_state;  // the bytes of the state that is compiled into the kernel; empty: none
  int max_registers = 0;               // registers per thread; 0: no limit
  // Options::defines. These macros are defined after graft's headers, which they must not change, and before the
  // callback's text.
  std::vector<Define> defines;
  // The macros of <math.h> that the text declares or defines itself. They are undefined in front of the text.
  std::vector<std::string> own_constants;
  // The 64-bit integer types that the text declares itself (reflect/text/standard_names.hpp). Macros rename them in the
  // text.
  std::vector<std::string> own_types;
  std::string front;  // code of graft's own that comes before Options::defines
  // Which headers the program includes in front of the callback's text. include_half means cuda_fp16.h, and
  // include_bfloat16 means cuda_bf16.h; each is set if the text uses the header's type but does not include the header.
  bool include_half = false;
  bool include_bfloat16 = false;
  // The headers of the names of namespace std that the text uses (reflect/text/standard_names.hpp).
  std::vector<std::string_view> std_headers;
  // The math functions that the program overloads in front of the callback's text (building_blocks/math_calls.h).
  std::vector<reflect::MathFunction> math_calls;

  // For a composition, a callback that graft::chain or graft::Stages makes of several callbacks
  // (building_blocks/compose.h): `members` are its distinct callbacks, each of which gets a namespace of its own.
  // `composition` is the type that composes them: "graft_chain<graft_part_0, graft_part_1, graft_part_0>". `members`
  // and `composition` are empty for every other callback.
  std::vector<ProgramParts> members;
  std::string composition;
  // For a part of a chain that takes its instance from the part before it (reflect/callback/generic.hpp): the struct
  // that calls that part, "graft_part_0".
  std::string previous;
  // For a member of a composition: the text declares the function of a callback binary. The declaration must be in the
  // global namespace, because the mangled name in the binary does not contain a namespace of graft's.
  bool is_declaration = false;
  // For a member of a composition: the functions that the text defines extern "C". Macros rename these functions, so
  // that two members can define functions of the same name.
  std::vector<std::string> extern_c;
  // For a member of a composition: the names of the text's functions that are also names of CUDA's (`max`). The
  // member's namespace gets CUDA's functions of these names, too, because the text may call them.
  std::vector<std::string> named_like_cuda;
  int shared_bytes = 0;  // bytes of dynamic shared memory per thread block, for load and store callbacks
};

// The prefixes of the names that graft gives to a composition's members: the struct graft_part_0 calls the first
// callback, and the namespace graft_text_0 contains its text.
inline constexpr std::string_view kPartName = "graft_part_";
inline constexpr std::string_view kTextName = "graft_text_";

// The length of the longest kernel name that graft makes, in bytes. Longer names are cut off.
inline constexpr std::size_t kLongestKernelName = 120;

// Begins the part of a program in which the text's own integer types have other names, and ends it.
void rename_own_types(ProgramText& text, const ProgramParts& parts);
void restore_own_types(ProgramText& text, const ProgramParts& parts);

// Returns the kernel's name: "graft_transform_relu", "graft_transform_scale_float", "graft_transform_lambda".
std::string kernel_name(const ProgramParts& parts);

// Writes the whole program.
std::string program_text(const ProgramParts& parts);

// Writes the program for a compile that only reads the callback's signature from the probe, a variable whose mangled
// name contains the signature (reflect/signature/probe.hpp).
std::string reading_text(const ProgramParts& parts);

// These functions write the two halves of program_text(). callback_section() writes graft's headers and the callback;
// kernel_section() writes the lines that make a kernel of the callback.
std::string callback_section(const ProgramParts& parts);
std::string kernel_section(const ProgramParts& parts);

// Returns the expression that the program calls as the callback: "::math::scale<float>", or "graft_callback()" if the
// callback is an expression. Names are looked up from the global scope, so that graft's own names cannot hide them.
std::string call_expression(const ProgramParts& parts);

// Returns the expression that calls `object` by the declared signature. If the callback is no function object, or no
// signature is declared, this is `object`. `scope` is where the program defines the type graft_declared.
std::string with_declared_type(const ProgramParts& parts, std::string_view scope, std::string_view object);

// These three functions are for exact adapters, code that a family writes for exactly one signature.
// write_preamble() includes the headers that the callback's text needs, and writes `parts.front`, which is code of
// graft's own; the adapter writes its own text after them. write_callback() then writes Options::defines and the
// callback's text. kernel_head() returns the head of the kernel's definition; its parameter graft_p has the type
// `parameters`.
void write_preamble(ProgramText& text, const ProgramParts& parts);
void write_callback(ProgramText& text, const ProgramParts& parts);
std::string kernel_head(const ProgramParts& parts, std::string_view parameters);

// Undefines the names that CUDA's own words expand to, as `__global__` does to `global`, and the words by which a
// program checks the user's types. Called behind the user's texts, whose macros may have these names, by families that
// write kernels themselves; kernel.h does the same with the first.
void undefine_names_in_words(ProgramText& text);

// Writes Options::defines as lines of the program. An empty line follows each define, so that a value that ends in a
// backslash is joined to the empty line and not to the next define.
void write_defines(ProgramText& text, const std::vector<Define>& defines);

// Defines `graft_declared` as an alias of the declared signature's function type. Compiler messages about the type show
// kDeclaredLines as the file.
void write_declared_type(ProgramText& text, std::string_view declared);

// Writes graft's declarations and then the user's text, without an adapter. If the text is an expression, the program
// contains a function that returns the expression. No code calls this function, but the compiler reports the mistakes
// in the expression.
std::string text_alone(const ProgramParts& parts);

// The template arguments of graft_probe for the probe of the callback, and for the probe of the declared type
// (reflect/signature/probe.hpp says what a probe is).
inline constexpr std::string_view kProbe = "graft_function, graft_facts";
inline constexpr std::string_view kDeclaredProbe = "graft_declared, graft_declared_facts";

}  // namespace graft::codegen
