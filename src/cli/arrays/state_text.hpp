// Parses the value of --state: a number, the fields of a struct, bytes in hexadecimal, or the name of a file of bytes.
//
//     2.5                     if the state is one number: float, double, half, bfloat16, an integer, a bool, an enum
//     a=2.5,w={1,2,3}         if the state is a struct: every field, in any order
//     2.5,{1,2,3}             the same, in the order of the fields
//     inner.a=1,w[2]=3        parts of fields
//     hex:0000803f            the bytes in the order of memory: 1.0f on a little-endian machine
//     @state.bin              the content of a file
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "format/debug_types.hpp"
#include "graft/element.hpp"

namespace graft::cli {

// Returns the fields of the state's struct, or why they cannot be read.
using ReadFields = std::function<format::Outcome<format::Field>()>;

// Returns the bytes of a state of this type. Throws Error(TypeMismatch) if the number of bytes is not the size of the
// type or the fields of the type cannot be read, Error(InvalidArgument) if the text is not a valid number, not
// hexadecimal, or does not give each field once, and Error(FileUnreadable) if the file cannot be read. Calls `fields`
// only if the text gives fields.
base::Bytes parse_state(const std::string& text, const ElementType& type, const ReadFields& fields);

// Returns the bytes of the number in `text`, or nothing if the text is not a number of this type or the type is not a
// type of numbers.
std::optional<base::Bytes> parse_number(std::string_view text, const ElementType& type);

}  // namespace graft::cli
