// `graft __build` and `graft __warm`: the child's halves of build_in_child and of `graft warm`. For graft itself,
// hidden from the help.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/warm_job.hpp"

namespace graft::cli {

void add_build(CLI::App& program) {
  auto request = std::make_shared<BuildRequest>();
  CLI::App* const command = program.add_subcommand("__build", "")->group("");
  add_request_options(*command, *request, "CALLBACK");
  command->callback([request] {
    if (const int code = build_for_parent(*request); code != 0) throw CLI::RuntimeError(code);
  });
  program.add_subcommand(kWarmCommand, "")->group("")->callback(serve_warm_jobs);
}

}  // namespace graft::cli
