// The examples in the help of each command. A test runs every one of them (tests/cli/help_test.cpp), with the files
// that docs/cli.md shows.
#pragma once

#include <string_view>
#include <vector>

namespace graft::cli {

// Returns the examples for a command: "" (graft itself), "inspect", "cache stats". None for an unknown command.
std::vector<std::string_view> examples_of(std::string_view command);

}  // namespace graft::cli
