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

// For text of many lines. Replaces control characters other than \n and \t, Unicode's bidirectional controls, its line
// and paragraph separators, and bytes that are not valid UTF-8. Keeps all other text, in any language.
std::string visible(std::string_view text);

// For text within one line: replaces \n and \t too. A result of more than `most` bytes is cut, and "..." is added.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace graft::cli
