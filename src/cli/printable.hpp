// Text from files of unknown origin, made fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::cli {

// One line of printable ASCII: every other byte is written as \n, \t or \x1b. What is longer than `most` characters
// ends in "...".
std::string printable(std::string_view text, std::size_t most = 200);

}  // namespace graft::cli
