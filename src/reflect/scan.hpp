// A lexical look at a callback's text: which functions it defines at namespace scope, what it mentions, and which of
// the functions is the callback.
//
//     namespace math { __device__ float relu(float x) { ... } }   ->   math::relu, line 1, "float x", __device__
//
// It runs before any compiler, because the entry's name is part of the text that is compiled. It resolves nothing but
// `#if 0`, `#if 1` and macros that stand for specifiers (`#define HD __host__ __device__`); where it cannot be sure, it
// says so, and graft asks for an entry rather than guess. Any bytes are taken; linear in the text's size.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graft::reflect {

struct FunctionFound {
  std::string name;             // qualified: "math::relu"; unnamed namespaces are left out
  int line = 0;                 // of the name
  std::string result_text;      // "unsigned int", without specifiers; what stands behind the parameters is not in it
  std::string parameters_text;  // "float x, const Scale& s"
  bool is_device = false;
  bool is_global = false;  // a kernel
  bool is_template = false;
  bool in_anonymous_namespace = false;
  bool is_definition = false;
  bool is_extern_c = false;
};

struct SourceScan {
  std::vector<FunctionFound> functions;  // at namespace scope, in order; no members, no specialisations
  std::vector<std::string> variables;    // at namespace scope, qualified
  bool is_expression = false;            // the whole text is a lambda expression
  bool mentions_half = false;
  bool mentions_bfloat16 = false;
  bool includes_half_header = false;  // also by way of the one for bfloat16
  bool includes_bfloat16_header = false;
  bool mentions_textures = false;
  bool mentions_long_math = false;  // erff, pow, log1p, ...: dozens of instructions an element
  bool has_unroll_pragma = false;
  bool uncertain = false;                 // macros, #if or unbalanced brackets may hide or double functions
  std::vector<std::string> includes;      // as written: "<cmath>", "\"mine.h\""
  std::vector<std::string> thread_words;  // "__syncthreads", "threadIdx": see thread_words.hpp
};

SourceScan scan(std::string_view text);

// Why a lambda cannot be a callback.
enum class LambdaProblem { Captures, Annotated, Generic };
struct LambdaFinding {
  LambdaProblem problem = LambdaProblem::Captures;
  std::string detail;  // "[=]", "__device__", "auto x", "<class T>"
  int line = 0;
};
std::optional<LambdaFinding> examine_lambda(std::string_view expression);

struct EntryChoice {
  enum Kind {
    Found,    // `name` is the callback. It may be a template that still lacks its arguments
    None,     // nothing fits; `candidates` says what comes nearest
    Several,  // `candidates` are those to choose from
    Unsure,   // the text does not show it, but a header or macro may; `name` is what was wanted
  };
  Kind kind = None;
  std::string name;                     // qualified, with the template arguments that were asked for
  bool overloaded = false;              // several definitions of that name with different parameters
  std::vector<std::string> candidates;  // "relu (line 3)", "`relu` (line 3) lacks __device__"
};

// The callback among the text's functions. `wanted` is a name ("relu", "math::relu", "::relu", "scale<float>", a
// qualified name's tail), an expression that makes a function object ("Scale{2}"), or empty: then it is the only
// __device__ function, or the whole text, if that is an expression (Found, with an empty name).
EntryChoice choose_entry(const SourceScan& scan, std::string_view wanted);

// The name that `wanted` is most likely a misspelling of, or nothing. A candidate ends at its first space.
std::string nearest(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace graft::reflect
