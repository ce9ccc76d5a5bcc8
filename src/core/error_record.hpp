// An Error as bytes, for a process that hands one to another.
#pragma once

#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "graft/error.hpp"

namespace graft {

// CBOR; texts of any bytes survive.
base::Bytes write_error(const Error& error);

// Nothing for bytes that are no such error: a process can end in the middle of one.
std::optional<Error> read_error(std::span<const std::byte> bytes);

}  // namespace graft
