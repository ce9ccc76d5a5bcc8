// Registers every command with CLI11, parses the command line, which also runs the chosen command, and turns the
// outcome into an exit code.
//
// A command throws when its work fails. Only this file maps exceptions to exit codes and to messages on standard error.
#include "cli/run_program.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/commands/commands.hpp"
#include "cli/commands/words.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/printable_report.hpp"
#include "graft/error.hpp"
#include "graft/version.hpp"

namespace graft::cli {
namespace {

// Returns the help of the innermost command on the command line. For `graft cache list --help`, this is the command
// `list`.
std::string help_of_named(const CLI::App& program) {
  const CLI::App* named = &program;
  std::string before;
  while (!named->get_subcommands().empty()) {
    before += (before.empty() ? "" : " ") + named->get_name();
    named = named->get_subcommands().front();
  }
  return named->help(before);
}

// Adds the list of exit codes to the end of the help of each command whose help has no last part (footer) of its own.
void add_footers(CLI::App& program) {
  for (CLI::App* command : program.get_subcommands(nullptr)) {
    if (command->get_footer().empty()) command->footer(kExitCodesHelp);
    add_footers(*command);
  }
}

// Whether the command line asks for JSON. Words behind "--" are not options.
bool wants_json(int count, char** words) {
  for (int i = 1; i < count && std::string_view(words[i]) != "--"; ++i)
    if (std::string_view(words[i]) == "--json") return true;
  return false;
}

constexpr const char* kNoMemory =
    "graft: not enough memory for this command\nWhat to do: Give it smaller files, or more memory (see ulimit -v).";

// Parses the command line and thereby runs the chosen command, because CLI11 calls the command's callback after the
// last argument. So results are printed, and errors of the work are thrown, inside parse().
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
  } catch (const CLI::RuntimeError& error) {  // the command has printed its messages and has chosen the exit code
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    complain("graft: " + printable(error.what()) + "\nWhat to do: see graft --help, or graft COMMAND --help.");
    return kWrongUsage;
  }
}

}  // namespace

int run_program(int count, char** words, void (*add_more)(CLI::App&)) {
  try {
    CLI::App program(
        "Builds GPU kernels from CUDA device functions (callbacks): inspects callbacks, runs them over arrays, "
        "compiles them ahead of time, manages the cache of kernels, and checks what this machine can do.",
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
    if (add_more != nullptr) add_more(program);
    add_footers(program);
    refuse_empty_values(program);
    return run(program, count, words);
  } catch (const std::bad_alloc&) {
    complain(kNoMemory);
    return kWorkFailed;
  } catch (const std::length_error&) {  // a container was asked for more elements than max_size()
    complain(kNoMemory);
    return kWorkFailed;
  } catch (const Error& error) {
    complain(text_of(error));
    if (wants_json(count, words)) print_json(json_of(error));
    return kWorkFailed;
  } catch (const std::exception& error) {
    complain(printable(error.what()));
    return kWorkFailed;
  }
}

}  // namespace graft::cli
