// The help of the commands: what CLI11 makes of the commands' descriptions, and what graft adds to it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace graft::cli {

// Completes the help of every command. Adds the examples (examples.hpp) and, unless a command says more about them
// itself, the exit codes to the end of the help, and names each option's value by what it is: `--in FILE`.
void complete_help(CLI::App& program);

// Returns the help of the command that these words name: {} for the program, {"cache", "stats"} for `graft cache
// stats`. Throws CLI::ValidationError, with a suggestion, if there is no such command.
std::string help_of(const CLI::App& program, const std::vector<std::string>& words);

// Returns the help of the innermost command on the parsed command line. For `graft cache list --help`, this is the
// command `list`.
std::string help_of_parsed(const CLI::App& program);

// Adds the command `graft help`.
void add_help(CLI::App& program);

}  // namespace graft::cli
