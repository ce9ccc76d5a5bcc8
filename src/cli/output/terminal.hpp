// Says what a terminal can show, and colours text for it.
//
// Colour goes only to a terminal, and only if the variable NO_COLOR is unset or empty (https://no-color.org) and TERM
// does not say `dumb`. Text is coloured after visible() has made it safe to print (printable.hpp), so escape sequences
// in names and logs never reach the terminal, and the only ones that do are those of this file.
#pragma once

#include <string>
#include <string_view>

namespace graft::cli {

// Whether the open file is a terminal that can move its cursor and erase a line.
bool is_terminal(int file);

// Whether text for this open file is to be coloured.
bool wants_colour(int file);

// The functions below return their text with colours.

// A message: "graft:" and the word "error" of a compiler in red, "warning" in yellow, "What to do:" in bold.
std::string coloured_message(std::string_view text);
// A help: the headings in bold.
std::string coloured_help(std::string_view text);
// A diagnosis: "works" in green, "does not work here" and "none" in red.
std::string coloured_diagnosis(std::string_view text);

}  // namespace graft::cli
