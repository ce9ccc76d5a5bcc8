// Splits a command from an environment variable into words, with a shell's quoting rules: GRAFT_CXX="'/my tools/g++'
// -m64" gives "/my tools/g++" and "-m64".
//
// Text in single quotes is literal. In double quotes a backslash escapes ", \, $ and ` and is literal before any other
// character. Outside of quotes a backslash escapes the next character. Nothing is expanded: no variables, no patterns,
// no ~. A pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graft::toolchain {

// Nothing for an unclosed quote or a backslash at the end of the text.
std::optional<std::vector<std::string>> command_words(std::string_view text);

}  // namespace graft::toolchain
