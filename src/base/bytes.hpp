// Bytes that are owned, and functions that view text as bytes and bytes as text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace graft::base {

using Bytes = std::vector<std::byte>;

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace graft::base
