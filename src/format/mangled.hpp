// What a linker's name says about a function: "_ZN4math4axpyEff" is math::axpy(float, float).
//
// nvJitLink joins functions by name and checks no types, so the types in the name are all there is to compare with a
// declared signature. A plain C name ("relu") says nothing about its parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graft::format {

struct FunctionName {
  std::string qualified;                               // "math::axpy", "scale<float>"
  std::optional<std::vector<std::string>> parameters;  // as canonical_type spells them; nothing for a C name

  std::string_view plain() const noexcept;  // "axpy", "scale"
};

// Nothing when the name is no function's: a variable, a vtable, an operator, a damaged name, or one so large or with so
// many back references that reading it could take for ever.
std::optional<FunctionName> read_function_name(std::string_view symbol);

// One spelling for all that compilers and people write for a type:
//
//     long long unsigned int, unsigned long long     ->  unsigned long long
//     Scale const&, const  Scale &, struct Scale const &   ->  const Scale&
//
// A text with more than 255 brackets inside one another is no type, and is left as it is.
std::string canonical_type(std::string_view spelling);

// The symbols whose function is called `wanted`: by symbol, by qualified name or by plain name, the first of these that
// any symbol answers to.
std::vector<std::string_view> symbols_called(std::string_view wanted, std::span<const std::string_view> symbols);

}  // namespace graft::format
