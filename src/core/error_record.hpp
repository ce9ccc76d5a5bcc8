// Serialises an Error, so that one process can send it to another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "base/record.hpp"
#include "graft/error.hpp"

namespace graft {

// Returns the error as a record (base/record.hpp). The strings of the error may contain any bytes.
base::Bytes write_error(const Error& error);

// Returns the error, or nothing when the bytes are not a complete record: the process that wrote them may have died
// while writing.
std::optional<Error> read_error(std::span<const std::byte> bytes);

// Reads or writes an optional Error as one field of another record.
template <class Codec, base::Is<std::optional<Error>> T>
void error_field(Codec& codec, std::uint16_t tag, T& error) {
  if constexpr (Codec::kReads) {
    std::optional<base::Bytes> bytes;
    codec.field(tag, bytes);
    if (!bytes) return;
    error = read_error(*bytes);
    if (!error) codec.refuse();
  } else if (error) {
    codec.field(tag, write_error(*error));
  }
}

}  // namespace graft
