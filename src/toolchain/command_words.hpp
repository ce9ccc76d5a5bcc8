// A command as people write it into a variable, cut into words as a shell would: GRAFT_CXX="'/my tools/g++' -m64".
//
// Single quotes keep all between them; double quotes keep all but a backslash in front of ", \, $ or `; outside of
// quotes a backslash keeps the next character. Nothing is expanded: no variables, no patterns, no ~. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graft::toolchain {

// Nothing when a quote is not closed, or a backslash stands at the end.
std::optional<std::vector<std::string>> command_words(std::string_view text);

}  // namespace graft::toolchain
