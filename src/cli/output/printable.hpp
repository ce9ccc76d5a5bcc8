// Makes text of unknown origin safe to print on a terminal.
//
// A name in a pack may contain escape sequences that set the terminal's title or move its cursor, characters that
// reverse the direction of the text, and line ends that make a line look like graft's own output. All of them are
// replaced by readable escapes: \x1b for a byte, \u202e for a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::cli {

// Makes a text of many lines safe to print. Replaces control characters other than \n and \t, Unicode's bidirectional
// controls, its line and paragraph separators, and bytes that are not valid UTF-8. Keeps all other text, in any
// language.
std::string visible(std::string_view text);

// Makes a text safe to print within one line: does what visible() does, and replaces \n and \t too. If the result would
// have more than `most` bytes, cuts it and adds "...".
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace graft::cli
