// An Error as bytes, for a process that hands one to another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "base/record.hpp"
#include "graft/error.hpp"

namespace graft {

// A record (base/record.hpp); texts of any bytes survive.
base::Bytes write_error(const Error& error);

// Nothing for bytes that are no such error: a process can end in the middle of one.
std::optional<Error> read_error(std::span<const std::byte> bytes);

// The field of another record in which an error stands, or none.
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
