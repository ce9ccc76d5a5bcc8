// Adds the hidden commands that make the program `graft` a child process: `graft __child` makes kernels for another
// process of this program (child.hpp), and `graft __closed` makes one for the library's closed mode (Options::closed).
// These commands take no arguments, because the parent process sends the work in messages.
#include <CLI/CLI.hpp>

#include "cli/child/child.hpp"
#include "cli/commands/commands.hpp"
#include "engine/closed_child.hpp"

namespace graft::cli {

void add_hidden_commands(CLI::App& program) {
  program.add_subcommand(kChildCommand, "")->group("")->callback(serve_child);
  program.add_subcommand(engine::kClosedCommand, "")->group("")->callback([] {
    if (const int exit_code = engine::serve_closed(); exit_code != kGood) throw CLI::RuntimeError(exit_code);
  });
}

}  // namespace graft::cli
