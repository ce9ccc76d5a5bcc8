// The state on the command line: a number, bytes in hexadecimal, or a file of bytes.
//
//     2.5              for a state that is one number: float, double, half, bfloat16, an integer, a bool, an enum
//     hex:0000803f     the bytes as they lie in memory, first byte first
//     @state.bin       all bytes of a file
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "graft/element.hpp"

namespace graft::cli {

// The bytes of the state. Throws Error: TypeMismatch where they are not what the callback takes, InvalidArgument where
// the text is no number, FileUnreadable.
base::Bytes parse_state(const std::string& text, const ElementType& type);

}  // namespace graft::cli
