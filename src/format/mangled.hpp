// Reads a function's name and parameter types from its mangled symbol: "_ZN4math4axpyEff" is math::axpy(float, float).
//
// nvJitLink matches functions by symbol and checks no types. So graft compares the signature that the user declares for
// a binary with the types in the symbol. An unmangled C symbol ("relu") contains no parameter types.
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
  std::optional<std::vector<std::string>> parameters;  // spelled as canonical_type does; nothing for a C symbol

  std::string_view plain() const noexcept;  // without namespaces and template arguments: "axpy", "scale"
};

// Returns nothing if the symbol cannot be a callback's, because it is damaged or names a variable, a vtable or an
// operator. Also returns nothing for a symbol so large, or with so many back references, that demangling could take
// unbounded time.
std::optional<FunctionName> read_function_name(std::string_view symbol);

// Converts the spellings of a type to a single spelling, for comparisons:
//
//     long long unsigned int, unsigned long long           ->  unsigned long long
//     Scale const&, const  Scale &, struct Scale const &   ->  const Scale&
//
// Returns `spelling` unchanged if it has more than 255 nested brackets.
std::string canonical_type(std::string_view spelling);

// The symbols that `wanted` names. Returns all symbols equal to `wanted`; if there are none, all symbols whose
// qualified name is `wanted`; if there are none, all symbols whose plain name is `wanted`.
std::vector<std::string_view> symbols_called(std::string_view wanted, std::span<const std::string_view> symbols);

}  // namespace graft::format
