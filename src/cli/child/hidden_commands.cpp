// Adds the hidden commands that graft starts as child processes. `graft __build` does the work of build_in_child,
// `graft __state_object` that of state_object_in_child, `graft __warm` that of `graft warm`, and `graft __closed` that
// of the library's closed mode (Options::closed). add_precompile adds the hidden command of `graft precompile`. These
// commands take no arguments, because the parent process sends the work in messages.
#include <CLI/CLI.hpp>

#include "cli/child/child.hpp"
#include "cli/child/warm_job.hpp"
#include "cli/commands/commands.hpp"
#include "engine/closed_child.hpp"

namespace graft::cli {

void add_hidden_commands(CLI::App& program) {
  program.add_subcommand(kBuildCommand, "")->group("")->callback(build_for_parent);
  program.add_subcommand(engine::kClosedCommand, "")->group("")->callback([] {
    if (const int exit_code = engine::serve_closed(); exit_code != kGood) throw CLI::RuntimeError(exit_code);
  });
  program.add_subcommand(kStateObjectCommand, "")->group("")->callback(make_state_object_for_parent);
  program.add_subcommand(kWarmCommand, "")->group("")->callback(serve_warm_jobs);
}

}  // namespace graft::cli
