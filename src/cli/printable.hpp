// Text of unknown origin, made fit for a terminal.
//
// A name in a pack may hold escape sequences that set the terminal's title or move its cursor, characters that reverse
// the order of what follows, and line ends that make a line look like graft's own. All of them are replaced by escapes
// that a person can read: \x1b for a byte, \u202e for a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::cli {

// Any number of lines. Replaced are control characters other than \n and \t, Unicode's bidirectional controls, its line
// and paragraph separators, and bytes that are no UTF-8. Other text stays as it is, of any language.
std::string visible(std::string_view text);

// One line: \n and \t are replaced too. What is longer than `most` bytes ends in "...".
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace graft::cli
