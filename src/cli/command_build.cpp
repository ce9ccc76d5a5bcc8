// `graft __build` and `graft __warm`: the child's halves of build_in_child and of `graft warm`; `graft __closed`: that
// of the library's closed mode. For graft itself, hidden from the help. They have no words: what they are to do comes
// as messages from the parent.
#include <CLI/CLI.hpp>

#include "build/closed_child.hpp"
#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/warm_job.hpp"

namespace graft::cli {

void add_build(CLI::App& program) {
  program.add_subcommand(kBuildCommand, "")->group("")->callback(build_for_parent);
  program.add_subcommand(building::kClosedCommand, "")->group("")->callback([] {
    if (const int exit_code = building::serve_closed(); exit_code != kGood) throw CLI::RuntimeError(exit_code);
  });
  program.add_subcommand(kWarmCommand, "")->group("")->callback(serve_warm_jobs);
}

}  // namespace graft::cli
