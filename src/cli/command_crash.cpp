// `graft __crash SIGNAL`: ends a child by a signal, as a crash in NVIDIA's linker would, and says what becomes of it.
// For tests, hidden from the help.
#include <signal.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/child.hpp"
#include "cli/commands.hpp"

namespace graft::cli {
namespace {

struct CrashRequest {
  int signal = SIGSEGV;
  bool here = false;
};

void crash(const CrashRequest& request) {
  if (!request.here) {
    const ChildResult result = run_child({"__crash", "--here", std::to_string(request.signal)});
    throw_if_crashed(result, "crashing as told");
    return;
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::fputs("last words\n", stderr);
  ::signal(request.signal, SIG_DFL);  // a sanitizer's handler would turn the signal into an exit
  ::raise(request.signal);
}

}  // namespace

void add_crash(CLI::App& program) {
  auto request = std::make_shared<CrashRequest>();
  CLI::App* const command = program.add_subcommand("__crash", "")->group("");
  command->add_option("signal", request->signal, "");
  command->add_flag("--here", request->here, "");
  command->callback([request] { crash(*request); });
}

}  // namespace graft::cli
