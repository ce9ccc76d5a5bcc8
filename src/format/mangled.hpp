// Reads a function's name and parameter types from its mangled symbol: "_ZN4math4axpyEff" is math::axpy(float, float).
//
// nvJitLink matches functions by symbol and checks no types, so graft compares a declared signature with the types in
// the symbol. An unmangled C symbol ("relu") has no parameter types.
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
  std::optional<std::vector<std::string>> parameters;  // in canonical_type's spelling; nothing for a C symbol

  std::string_view plain() const noexcept;  // without namespaces and template arguments: "axpy", "scale"
};

// Nothing for a symbol that does not name a function that can be a callback: a variable, a vtable, an operator, or a
// damaged symbol. Nothing also for a symbol that is so large, or has so many back references, that demangling it could
// take unbounded time.
std::optional<FunctionName> read_function_name(std::string_view symbol);

// Gives each type one spelling, whatever the compiler or the user wrote:
//
//     long long unsigned int, unsigned long long           ->  unsigned long long
//     Scale const&, const  Scale &, struct Scale const &   ->  const Scale&
//
// Returns a text with more than 255 nested brackets unchanged.
std::string canonical_type(std::string_view spelling);

// The symbols that `wanted` names. Compares `wanted` with the symbols, then with their qualified names, then with their
// plain names, and returns all matches of the first of these comparisons that has any.
std::vector<std::string_view> symbols_called(std::string_view wanted, std::span<const std::string_view> symbols);

}  // namespace graft::format
