// `Bytes` owns a sequence of bytes. as_bytes views text as bytes, and as_text views bytes as text; neither copies.
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
