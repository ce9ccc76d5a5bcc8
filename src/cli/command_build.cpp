// `graft __build`: the child's half of build_in_child. For graft itself, hidden from the help.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/child.hpp"
#include "cli/commands.hpp"

namespace graft::cli {

void add_build(CLI::App& program) {
  auto request = std::make_shared<BuildRequest>();
  CLI::App* const command = program.add_subcommand("__build", "")->group("");
  add_request_options(*command, *request, "CALLBACK");
  command->callback([request] {
    if (const int code = build_for_parent(*request); code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace graft::cli
