// Writes the manual page and the completion for bash from the same description of the commands as the help, so that
// they name every command and option. The build runs `graft __manual` and `graft __completion`, and installs the output
// as share/man/man1/graft.1 and share/bash-completion/completions/graft.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace graft::cli {

// Returns the manual page of the program and all its commands, in the language of man(7).
std::string manual_page(const CLI::App& program);

// Returns a script for bash. It completes commands, options, the words that an option takes, and files.
std::string bash_completion(const CLI::App& program);

// Adds the hidden commands `__manual` and `__completion`.
void add_manual(CLI::App& program);

}  // namespace graft::cli
