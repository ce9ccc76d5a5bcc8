// Reads the declaration of a function, such as the declared signature of a callback, and converts the signature text of
// a callback binary to a declaration through which the adapter's program calls the binary's function:
//
//     float relu(float)
//         ->  __device__ float relu(float);
//     struct S { float a; }; extern "C" float f(const S&)
//         ->  struct S { float a; }; extern "C" __device__ float f(const S&);
//     float(float), entry math::relu
//         ->  namespace math { __device__ float relu(float); }
//     float(float), entry _Z4reluf
//         ->  extern "C" __device__ float _Z4reluf(float);
//
// Only the last declaration is rewritten; the text in front of it stays unchanged. A text that ends in a brace (`extern
// "C" { ... }`, `namespace math { ... }`) is not rewritten at all, so it must contain the word __device__ itself.
#pragma once

#include <string>
#include <string_view>

namespace graft::reflect {

struct DeclaredFunction {
  std::string text;           // the declaration, which the program contains in place of a callback's source
  std::string entry;          // "relu", "math::relu"
  std::string function_type;  // "float(float)"; empty if the signature text ends in a brace
  bool is_extern_c = false;   // the function is extern "C", so the entry is also the symbol's name
};

// Converts `signature`. `wanted` is the name of the function. If `wanted` is empty, the signature must contain the
// name. `callback` names the binary in messages: "callback.ltoir". The conversion does not check the types, because the
// compiler does. Throws Error with the code InvalidArgument, NoSuchEntry or AmbiguousEntry.
DeclaredFunction declare_function(std::string_view signature, std::string_view wanted, std::string_view callback);

// Returns the function type of a declaration, as it is written: "float(float x)" for "float relu(float x)". Drops
// specifiers and `noexcept`. Returns a text that declares no function unchanged.
std::string function_type(std::string_view declared);

// Returns the type of a parameter, which may have a name: "float&" for "float& y", "unsigned long" for "unsigned long".
std::string_view parameter_type(std::string_view parameter);

}  // namespace graft::reflect
