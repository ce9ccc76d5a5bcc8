// Splits a command from an environment variable into words, with a shell's quoting rules: GRAFT_CXX="'/my tools/g++'
// -m64" gives "/my tools/g++" and "-m64".
//
// Text in single quotes is literal. In double quotes a backslash escapes ", \, $ and `, and is literal before any other
// character. Outside of quotes a backslash escapes the next character. Variables, file name patterns and ~ are literal
// text. command_words() is a pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graft::toolchain {

// Returns nothing if a quote is not closed or a backslash is the last character of the text.
std::optional<std::vector<std::string>> command_words(std::string_view text);

}  // namespace graft::toolchain
