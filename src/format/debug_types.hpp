// Reads from the debug information of an object how a struct lies in memory: the names, types and offsets of its
// fields, as the compiler laid them out.
//
//     struct Inner { float a, b; };
//     struct Scale { int n; Inner inner; float w[3]; };
//
//     n            int at 0
//     inner        Inner at 4
//       a          float at 4
//       b          float at 8
//     w            float[3] at 12
//       [0] [1] [2]
//
// The debug information is DWARF of version 2 to 4, in which every compiler that graft uses describes structs alike:
// a tree of entries, where an entry has a tag (struct, member, array, number) and attributes (name, type, offset).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/outcome.hpp"
#include "graft/element.hpp"

namespace graft::format {

// A struct, a field of a struct, or an element of an array.
struct Field {
  std::string name;        // "inner", "[2]"; empty for the struct itself
  std::string type;        // "Inner", "float[3]", "float"
  std::size_t offset = 0;  // in bytes from the beginning of the whole struct
  ElementType element;     // the size; for a number also its kind
  // The fields of a struct, the elements of an array, the members of a vector type. Empty for a number.
  std::vector<Field> parts;
  bool is_pointer = false;
};

inline constexpr std::size_t kMostFields = 4096;

// Returns the type of the field `field` of the first struct whose name begins with `owner`. The result has at most
// kMostFields fields. Returns an error with Flaw::Unfit, and the reason as a clause ("`u` is a union"), if the type has
// a part that is neither a number nor a pointer, struct or array. Accepts any bytes.
Outcome<Field> read_field_type(std::span<const std::byte> object, std::string_view owner, std::string_view field);

}  // namespace graft::format
