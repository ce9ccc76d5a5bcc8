// Registers every command with CLI11, parses the command line, which also runs the chosen command, and turns the
// outcome into an exit code.
//
// A command throws when its work fails. Only this file maps exceptions to exit codes, to messages on standard error,
// and with --json to the error object on standard output.
#include "cli/run_program.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/words.hpp"
#include "cli/help/help_text.hpp"
#include "cli/help/manual.hpp"
#include "cli/help/suggestion.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/printable_report.hpp"
#include "cli/output/terminal.hpp"
#include "graft/error.hpp"
#include "graft/version.hpp"

namespace graft::cli {
namespace {

// Whether the command line asks for JSON. Words behind "--" are not options.
bool wants_json(int count, char** words) {
  for (int i = 1; i < count && std::string_view(words[i]) != "--"; ++i)
    if (std::string_view(words[i]) == "--json") return true;
  return false;
}

// How the program ends when it cannot do what it was asked to do. The message goes to standard error, and with --json
// the object goes to standard output too.
struct Failure {
  int exit_code = kWorkFailed;
  std::string text;
  nlohmann::json object;  // the object of json_of(Error), still without the exit code
};

int end_with(Failure failure, bool as_json) {
  complain(failure.text);
  if (as_json) {
    failure.object["error"]["exit_code"] = failure.exit_code;
    try {
      print_json(failure.object);
    } catch (const std::runtime_error&) {  // standard output cannot be written; standard error has the message
    }
  }
  return failure.exit_code;
}

// The failure that has no graft::Error. `code` is a word that no graft::Error has, or the name of one.
Failure plain_failure(int exit_code, const char* code, const std::string& message, const std::string& remedy) {
  return {exit_code,
          base::format("graft: {}\n{}", message, remedy.empty() ? "" : base::format("What to do: {}", remedy)),
          json_of_failure(code, message, remedy)};
}

// Says how the command line is wrong. `remedy` begins with the word that the user may have meant.
Failure wrong_usage(const CLI::App& program, const std::vector<std::string>& words, const std::string& problem) {
  const std::string suggestion = printable(suggestion_for(program, words));
  const std::string name = named_command(program, words);
  const std::string unknown = unknown_command(program, words);
  const std::string message = unknown.empty() ? printable(problem)
                                              : base::format("graft{}{} has no command `{}`", name.empty() ? "" : " ",
                                                             name, printable(unknown));
  const std::string remedy =
      base::format("{}ee graft{}{} --help.", suggestion.empty() ? "S" : suggestion.substr(1) + " Or s",
                   name.empty() ? "" : " ", name);
  return plain_failure(kWrongUsage, "WrongUsage", message, remedy);
}

Failure no_memory() {
  return plain_failure(kWorkFailed, "SystemFailed", "not enough memory for this command",
                       "Give it smaller files, or more memory (see ulimit -v).");
}

// Returns the words of `graft help cache stats` for `graft --help cache stats`, which asks for the same. By itself,
// CLI11 would demand the arguments of the command behind --help.
std::vector<std::string> with_help_as_command(std::vector<std::string> words) {
  const bool is_about_command =
      words.size() > 1 && (words[0] == "--help" || words[0] == "-h") && !words[1].starts_with('-');
  if (is_about_command) words[0] = "help";
  return words;
}

// Parses the command line and thereby runs the chosen command, because CLI11 calls the command's callback after the
// last argument. So results are printed, and errors of the work are thrown, inside parse().
int run(CLI::App& program, const std::vector<std::string>& words, bool as_json) {
  try {
    check_words(words);
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 expects the last argument first
    return kGood;
  } catch (const CLI::CallForHelp&) {
    print(help_of_parsed(program), coloured_help);
    return kGood;
  } catch (const CLI::CallForVersion&) {
    print("graft " GRAFT_VERSION_STRING "\n");
    return kGood;
  } catch (const CLI::RuntimeError& error) {  // the command has printed its messages and has chosen the exit code
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return end_with(wrong_usage(program, words, error.what()), as_json);
  }
}

}  // namespace

int run_program(int count, char** given, void (*add_more)(CLI::App&)) {
  const bool as_json = wants_json(count, given);
  try {
    const std::vector<std::string> words = with_help_as_command({given + 1, given + count});
    CLI::App program(
        "Builds GPU kernels from CUDA device functions (callbacks): inspects callbacks, runs them over arrays, "
        "compiles them ahead of time, manages the cache of kernels, and checks what this machine can do.",
        "graft");
    program.set_version_flag("-V,--version", GRAFT_VERSION_STRING);
    program.require_subcommand(1);
    add_doctor(program);
    add_inspect(program);
    add_apply(program);
    add_bench(program);
    add_tune(program);
    add_reduce(program);
    add_precompile(program);
    add_cache(program);
    add_warm(program);
    add_help(program);
    add_hidden_commands(program);
    add_manual(program);
    if (add_more != nullptr) add_more(program);
    complete_help(program);
    refuse_empty_values(program);
    return run(program, words, as_json);
  } catch (const std::bad_alloc&) {
    return end_with(no_memory(), as_json);
  } catch (const std::length_error&) {  // a container was asked for more elements than max_size()
    return end_with(no_memory(), as_json);
  } catch (const Error& error) {
    return end_with({kWorkFailed, text_of(error), json_of(error)}, as_json);
  } catch (const std::exception& error) {
    return end_with({kWorkFailed, printable(error.what()), json_of_failure("SystemFailed", error.what(), "")}, as_json);
  }
}

}  // namespace graft::cli
