// Lists the element types that have names. The table has two kinds of names:
//
//     f32      the short name, which ElementType::named accepts. ElementType::named also accepts the long name (int32,
//              float), which is not in the table, because to_string makes it from the kind and the size, and NumPy's
//              name where it is another one (float32).
//     __half   the names in C++, for signatures that graft reads without a compiler (reflect/signature/known_types.hpp)
//
// A program or a callback can use other element types too: structs, and classes that graft treats as complex numbers.
#pragma once

#include <optional>
#include <string_view>

#include "graft/element.hpp"

namespace graft {

struct NamedElement {
  std::string_view name;
  ElementType type;
  // The names in C++, in the form that format::canonical_type returns. Both are empty if the type has no name in C++,
  // and the second is empty if the type has only one.
  std::string_view in_cpp = {};
  std::string_view also_in_cpp = {};
};

// `long` has 8 bytes on every system that graft runs on.
inline constexpr NamedElement kNamedElements[] = {
    {"bool", {ElementKind::Bool, 1, 1}, "bool"},
    {"i8", {ElementKind::Signed, 1, 1}, "signed char", "char"},
    {"i16", {ElementKind::Signed, 2, 2}, "short"},
    {"i32", {ElementKind::Signed, 4, 4}, "int"},
    {"i64", {ElementKind::Signed, 8, 8}, "long long", "long"},
    {"u8", {ElementKind::Unsigned, 1, 1}, "unsigned char"},
    {"u16", {ElementKind::Unsigned, 2, 2}, "unsigned short"},
    {"u32", {ElementKind::Unsigned, 4, 4}, "unsigned int"},
    {"u64", {ElementKind::Unsigned, 8, 8}, "unsigned long long", "unsigned long"},
    {"f16", {ElementKind::Float, 2, 2}, "__half"},
    {"bf16", {ElementKind::Bfloat, 2, 2}, "__nv_bfloat16"},
    {"f32", {ElementKind::Float, 4, 4}, "float"},
    {"f64", {ElementKind::Float, 8, 8}, "double"},
    {"c32", {ElementKind::Complex, 4, 4}},
    {"c64", {ElementKind::Complex, 8, 8}, "float2", "graft::complex<float>"},
    {"c128", {ElementKind::Complex, 16, 16}, "double2", "graft::complex<double>"},
    {"enum8", {ElementKind::Enum, 1, 1}},
    {"enum16", {ElementKind::Enum, 2, 2}},
    {"enum32", {ElementKind::Enum, 4, 4}},
    {"enum64", {ElementKind::Enum, 8, 8}},
    {"bit", {ElementKind::Bit, 1, 1}, "graft::Bit"},
};

// Returns the type with this short or long name or that of NumPy, or nothing if no type has this name.
std::optional<ElementType> element_named(std::string_view name);

// Returns the type with this name in C++, or nothing if no type has this name.
constexpr std::optional<ElementType> element_in_cpp(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const NamedElement& element : kNamedElements)
    if (name == element.in_cpp || name == element.also_in_cpp) return element.type;
  return std::nullopt;
}

}  // namespace graft
