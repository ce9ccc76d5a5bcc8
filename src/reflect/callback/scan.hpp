// Scans a callback's text for the functions that it defines at namespace scope and for the names that it mentions, and
// chooses which of the functions is the callback.
//
//     namespace math { __device__ float relu(float x) { ... } }   ->   math::relu, line 1, "float x", __device__
//
// The scan runs before any compiler, because the entry function's name is part of the text that is compiled. The scan
// is lexical: it evaluates only `#if 0`, `#if 1` and macros that stand for specifiers (`#define HD __host__
// __device__`). If the scan cannot find all functions in this way, it sets `uncertain`, and graft asks the user for an
// entry instead of guessing. The scan accepts any bytes and is linear in the text's size.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reflect/text/text.hpp"

namespace graft::reflect {

struct FunctionFound {
  std::string name;             // qualified: "math::relu"; without unnamed and inline namespaces
  int line = 0;                 // the line number of the function's name
  std::string result_text;      // "unsigned int": without specifiers, and without a trailing result type
  std::string parameters_text;  // "float x, const Scale& s"
  bool is_device = false;
  bool is_global = false;  // the function is a __global__ kernel
  bool is_template = false;
  bool is_definition = false;
  bool is_extern_c = false;
  // The function's type as the text writes it, for a declaration behind the text: "T(T a, T b)" with the text's macros,
  // "auto(float x) -> float" with a trailing result type, without default arguments. Empty if the text hides the type.
  std::string type_text;
};

// A statement at namespace scope, as a range of indices into Code::tokens: a function, a class, a variable, an alias,
// or the words that open or close a namespace.
struct Statement {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name = {};  // the last part of the name that it declares: "f" of `float A::f(float x)`; may be empty
  bool is_class = false;
  bool is_kernel = false;
  // Macros may hide where the statement ends, so the statement may contain others: `BEGIN namespace math { ... }`.
  bool is_unclear = false;
};

struct SourceScan {
  // Functions at namespace scope, in the text's order, without members and specialisations.
  std::vector<FunctionFound> functions;
  std::vector<std::string> variables;  // qualified names of the variables at namespace scope
  // The qualified names of the classes at namespace scope, and of aliases of classes and namespaces. A function may be
  // a member of them, such as `A::go`.
  std::vector<std::string> scopes;
  // All statements at namespace scope. Together they contain every token. The names in them are views into the text.
  std::vector<Statement> statements;
  bool is_expression = false;         // the whole text is a lambda expression
  bool mentions_half = false;         // the text uses types or functions of cuda_fp16.h
  bool mentions_bfloat16 = false;     // the text uses types or functions of cuda_bf16.h
  bool includes_half_header = false;  // the text includes cuda_fp16.h, directly or through cuda_bf16.h
  bool includes_bfloat16_header = false;
  bool mentions_textures = false;
  bool mentions_long_math = false;  // erff, pow, log1p, ...: dozens of instructions per element
  bool has_unroll_pragma = false;
  // The macros of <math.h> that the text declares or defines itself: "M_PI". A definition that depends on whether the
  // macro is defined (`#ifndef M_PI`) does not count.
  std::set<std::string, std::less<>> own_constants;
  bool uncertain = false;               // macros, #if or unbalanced brackets may hide or duplicate functions
  bool mentions_shared_memory = false;  // the text has the word __shared__
  std::vector<std::string> includes;    // as written: "<cmath>", "\"mine.h\""
};

SourceScan scan(const Text& text);

// Changes the scan of a text that is compiled with --device-as-default-execution-space: functions without specifiers
// are device functions.
void mark_device_by_default(SourceScan& scan);

// The reason why a lambda cannot be a callback.
struct LambdaFinding {
  std::string problem;  // "the lambda captures [=]"
  std::string_view remedy;
  int line = 0;
  bool is_generic = false;
};
// Returns the reason why a lambda cannot be a callback. Returns nothing if the expression is not a lambda, or is a
// lambda that can be a callback.
std::optional<LambdaFinding> examine_lambda(const Text& expression);

struct EntryChoice {
  enum Kind {
    Found,    // `name` is the callback; it may be the name of a template, without template arguments
    None,     // no function fits; `candidates` lists the other functions of the text
    Several,  // several functions fit, and `candidates` lists them
    Unsure,   // the text does not define the function, but a header or macro may; `name` is the wanted name
    Member,   // the function may be a static member of a class of the text, or be found through an alias
  };
  Kind kind = None;
  std::string name;                     // the qualified name, with the template arguments that were asked for
  bool overloaded = false;              // the text has several definitions of that name with different parameters
  std::vector<std::string> candidates;  // "relu (line 3)", "`relu` (line 3) lacks __device__"
};

// Chooses the callback among the text's functions. `wanted` is a name ("relu", "math::relu", "::relu", "scale<float>",
// or the tail of a qualified name), an expression that makes a function object ("Scale{2}"), or empty. If `wanted` is
// empty, chooses the only __device__ function, or the whole text if the text is a lambda expression (the result is then
// Found, with an empty name).
EntryChoice choose_entry(const SourceScan& scan, std::string_view wanted);

// Returns an entry without the spaces that its meaning does not need, and without `::` before it: "scale<float>" of
// "scale < float >", "f<unsigned int>" of "::f<unsigned  int>". Equal results name the same function.
std::string canonical_entry(std::string_view entry);

// Returns the last part of a qualified name: "scale<float>" of "math::scale<float>".
std::string_view unqualified(std::string_view name);

// Whether a qualified name is `tail` or ends in it: "math::relu" ends in "relu" and not in "lu".
bool ends_in_name(std::string_view name, std::string_view tail);

// Returns the candidate of which `wanted` is most likely a misspelling, or an empty text if none is similar. Only the
// part of a candidate before its first space is compared and returned: "relu" of "relu (line 3)".
std::string nearest(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace graft::reflect
