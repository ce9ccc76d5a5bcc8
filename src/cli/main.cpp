// `graft`: gathers the commands, and turns how they end into an exit code.
#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/printable.hpp"
#include "cli/printable_report.hpp"
#include "cli/words.hpp"
#include "graft/error.hpp"
#include "graft/version.hpp"

namespace graft::cli {
namespace {

// Of the command that was named, if one was: `graft`, `graft cache`, `graft cache list`.
std::string help_of_named(const CLI::App& program) {
  const CLI::App* named = &program;
  std::string before;
  while (!named->get_subcommands().empty()) {
    before += (before.empty() ? "" : " ") + named->get_name();
    named = named->get_subcommands().front();
  }
  return named->help(before);
}

// Of commands that say nothing of their own.
void add_footers(CLI::App& program) {
  for (CLI::App* command : program.get_subcommands(nullptr)) {
    if (command->get_footer().empty()) command->footer(kExitCodesHelp);
    add_footers(*command);
  }
}

constexpr const char* kNoMemory =
    "graft: not enough memory for this command\nWhat to do: Give it smaller files, or more memory (see ulimit -v).";

// What the chosen command prints, it prints while the words are parsed: CLI11 calls it at the end of them.
int run(CLI::App& program, int count, char** words) {
  try {
    check_words({words + 1, words + count});
    program.parse(count, words);
    return kGood;
  } catch (const CLI::CallForHelp&) {
    print(help_of_named(program));
    return kGood;
  } catch (const CLI::CallForVersion&) {
    print("graft " GRAFT_VERSION_STRING "\n");
    return kGood;
  } catch (const CLI::RuntimeError& error) {  // a command that said why, and how it ends
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    complain("graft: " + printable(error.what()) + "\nWhat to do: see graft --help, or graft COMMAND --help.");
    return kWrongUsage;
  }
}

}  // namespace
}  // namespace graft::cli

int main(int count, char** words) {
  using namespace graft::cli;
  try {
    CLI::App program(
        "Grafts a CUDA device function into a GPU kernel: looks at callbacks, runs them over arrays, compiles them "
        "ahead of time, keeps their kernels on disk, and says what this machine can do.",
        "graft");
    program.set_version_flag("--version", GRAFT_VERSION_STRING);
    program.require_subcommand(1);
    program.footer(kExitCodesHelp);
    add_doctor(program);
    add_inspect(program);
    add_apply(program);
    add_precompile(program);
    add_cache(program);
    add_warm(program);
    add_build(program);
    add_crash(program);
    add_footers(program);
    refuse_empty_values(program);
    return run(program, count, words);
  } catch (const std::bad_alloc&) {
    complain(kNoMemory);
    return kWorkFailed;
  } catch (const std::length_error&) {  // of a container that was to have more elements than any can
    complain(kNoMemory);
    return kWorkFailed;
  } catch (const graft::Error& error) {
    complain(text_of(error));
    return kWorkFailed;
  } catch (const std::exception& error) {
    complain(printable(error.what()));
    return kWorkFailed;
  }
}
