// The byte order mark of UTF-8, which some editors write at the beginning of a file. It is not C++, and NVRTC refuses
// it.
#pragma once

#include <string_view>

namespace graft::base {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace graft::base
