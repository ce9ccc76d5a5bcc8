// A piece of a text of the user's, as messages show it: printable and short, because it may be a stranger's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::base {

inline constexpr std::size_t kLongestPiece = 40;

// Returns the text with '?' for each byte that is not printable ASCII.
inline std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return result;
}

inline std::string shortened(std::string_view piece) {
  if (piece.size() <= kLongestPiece) return printable(piece);
  return printable(piece.substr(0, kLongestPiece)) + "...";
}

}  // namespace graft::base
