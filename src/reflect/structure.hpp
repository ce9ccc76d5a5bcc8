// Reads from a text how a struct of it lies in memory: the names, types and offsets of its fields.
//
//     struct Inner { float a, b; };
//     struct Scale { int n; Inner inner; float w[3]; };
//
//     Scale          24 bytes aligned to 4
//       n            int at 0
//       inner        Inner at 4
//         a          float at 4
//         b          float at 8
//       w            float[3] at 12
//         [0] [1] [2]
//
// The reading is lexical. It knows fundamental types, CUDA's vector types, half, bfloat16, complex numbers, and the
// enums, aliases, constants and structs of the text. What it does not know (templates, base classes, unions, bit
// fields, alignas) it refuses with a reason. The caller must compare size and alignment with those that the compiler
// reports: they can differ if a macro hides something.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graft/element.hpp"

namespace graft::reflect {

// A struct, a field, or an element of an array.
struct Part {
  std::string name;        // "inner", "[2]"; empty for the struct itself
  std::string type;        // "Inner", "float[3]", "float"
  std::size_t offset = 0;  // in bytes from the beginning of the whole struct
  ElementType element;     // size and alignment; for a number also its kind
  // The fields of a struct, the elements of an array, the members of a vector type. Empty for a number.
  std::vector<Part> parts;
  bool is_pointer = false;
};

// Returns the struct `name` ("Scale", "math::Scale", "float3"), or the reason why its fields cannot be read. The result
// has at most kMostParts parts. Accepts any bytes.
inline constexpr std::size_t kMostParts = 4096;
std::variant<Part, std::string> read_structure(std::string_view text, std::string_view name);

}  // namespace graft::reflect
