// CBOR that may come from anyone.
//
// nlohmann-json reads CBOR by recursion, so a few kilobytes of nested arrays or strings would end the process. What it
// is given here was walked first, without recursion: definite lengths only, all of them within the bytes, and nothing
// nested deeper than any file of graft's needs.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "base/bytes.hpp"

namespace graft::base {

Bytes to_cbor(const nlohmann::json& value);

// A discarded value (json::is_discarded) for bytes that are not exactly one value of the kind above.
nlohmann::json from_cbor(std::span<const std::byte> bytes);

}  // namespace graft::base
