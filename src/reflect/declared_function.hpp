// A binary callback's signature, as text, made into a declaration that the adapter's program can call through.
//
//     float relu(float)                                 ->  __device__ float relu(float);
//     struct S { float a; }; extern "C" float f(const S&)  ->  struct S { float a; }; extern "C" __device__ float
//     f(const S&); float(float), entry math::relu                    ->  namespace math { __device__ float relu(float);
//     } float(float), entry _Z4reluf                      ->  extern "C" __device__ float _Z4reluf(float);
//
// What stands in front of the last declaration stays as it is. A text that ends in a brace (`extern "C" { ... }`,
// `namespace math { ... }`) stays as it is altogether, and must say __device__ itself.
#pragma once

#include <string>
#include <string_view>

namespace graft::reflect {

struct DeclaredFunction {
  std::string text;           // for the program, in the place of a source callback
  std::string entry;          // "relu", "math::relu"
  std::string function_type;  // "float(float)"; empty when the text ends in a brace
  bool is_extern_c = false;   // entry is the symbol
};

// `wanted` names the function, or is empty: then the signature does. `callback` is for messages: "callback.ltoir".
// Lexical: the compiler judges the rest. Throws Error: InvalidArgument, NoSuchEntry, AmbiguousEntry.
DeclaredFunction declare_function(std::string_view signature, std::string_view wanted, std::string_view callback);

}  // namespace graft::reflect
