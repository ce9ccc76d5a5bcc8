// Parses the value of --state: a number, bytes in hexadecimal, or the name of a file of bytes.
//
//     2.5              if the state is one number: float, double, half, bfloat16, an integer, a bool, an enum
//     hex:0000803f     the bytes in the order of memory: 1.0f on a little-endian machine
//     @state.bin       the content of a file
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "graft/element.hpp"

namespace graft::cli {

// Returns the bytes of a state of this type. Throws Error(TypeMismatch) if the number of bytes is not the size of the
// type, Error(InvalidArgument) if the text is not a valid number or not hexadecimal, and Error(FileUnreadable) if the
// file cannot be read.
base::Bytes parse_state(const std::string& text, const ElementType& type);

}  // namespace graft::cli
