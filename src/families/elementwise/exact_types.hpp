// Lists the element types that an exact adapter (exact_program.hpp) can name, and how their elements are held in
// registers: a 16-byte word of an array is loaded into four registers of 4 bytes, or into two of 8 bytes.
#pragma once

#include <array>
#include <string_view>

#include "graft/signature.hpp"

namespace graft::elementwise {

// A kind of registers. A load straight into registers of the element's own kind needs no conversion, which would take a
// tenth of the compile time of a short callback.
struct RegisterKind {
  std::string_view type;        // in C++
  std::string_view ptx;         // in PTX instructions: "f32"
  std::string_view constraint;  // in inline assembly: "f"
  int bytes;
};
inline constexpr RegisterKind kWordRegister = {"unsigned int", "u32", "r", 4};

// Describes how elements of a named type (core/named_elements.hpp) are held in registers. `from` is the expression that
// makes an element from the registers {0} and {1} that hold it, and `to` has the expressions of these registers for the
// element {0}. All are formats of base::format, so that a brace of C++ is written twice. A type with two members has a
// list of them in braces, without the type in front. Every other element is in one register, or in the low bits of one.
struct Packing {
  std::string_view type;
  const RegisterKind& registers;
  std::string_view from;
  std::array<std::string_view, 2> to;
};

// Returns how elements of the array's type are held in registers. Null if the table does not have the type.
const Packing* packing_of(const Parameter& parameter);

}  // namespace graft::elementwise
