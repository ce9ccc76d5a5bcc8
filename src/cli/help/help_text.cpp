#include "cli/help/help_text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "cli/commands/commands.hpp"
#include "cli/help/examples.hpp"
#include "cli/help/suggestion.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"

namespace graft::cli {
namespace {

// What the values of options are called in the help. Those of all other options are whole numbers, called N.
constexpr auto kValueNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"--arch", "ARCHITECTURE"},
    {"--entry", "FUNCTION"},
    {"--signature", "DECLARATION"},
    {"--route", "ROUTE"},
    {"--forbid-route", "ROUTE"},
    {"--define", "NAME[=VALUE]"},
    {"--include", "FOLDER"},
    {"--compiler-option", "OPTION"},
    {"--link", "FILE"},
    {"--std", "YEAR"},
    {"--in", "FILE"},
    {"--out", "FILE"},
    {"--output", "FILE"},
    {"--state", "VALUE"},
    {"--tuning-file", "FILE"},
    {"--format", "FORMAT"},
    {"--name", "TEXT"},
    {"--callback", "NAME"},
    {"--max-bytes", "SIZE"},
    {"--older-than", "TIME"},
});

// Returns what stands behind an option's name. By itself, CLI11 writes "TEXT ..." for an option that may be repeated,
// as if the option took several values at once.
std::string value_text(const CLI::Option& option) {
  const auto* const found =
      std::ranges::find(kValueNames, option.get_name(), [](const auto& one) { return one.first; });
  const std::string type = option.get_type_name();
  const bool is_number = type.starts_with("INT") || type.starts_with("UINT");
  std::string text(found != kValueNames.end() ? found->second : is_number ? "N" : "VALUE");
  if (option.get_required()) text += " (required)";
  return text;
}

// Returns what stands behind an argument's name. An argument that may be left out is replaced by the option that
// excludes it: "(or --option)". The list of words of `graft help` may be left out too.
std::string positional_text(const CLI::Option& option) {
  if (option.get_items_expected_max() > 1) return option.get_required() ? "... (required)" : "...";
  if (option.get_required()) return "(required)";
  const std::set<CLI::Option*> others = option.get_excludes();
  return others.empty() ? std::string() : base::format("(or {})", (*others.begin())->get_name());
}

void name_values(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    const bool is_flag = option->get_expected_min() == 0 || option->get_type_size() == 0;
    if (option->get_positional()) option->option_text(positional_text(*option));
    else if (!is_flag && option->get_option_text().empty()) option->option_text(value_text(*option));
  }
}

void complete(CLI::App& command, const std::string& name) {
  std::string footer;
  for (const std::string_view example : examples_of(name)) footer += base::format("  {}\n", example);
  if (!footer.empty()) footer = base::format("Examples:\n{}\n", footer);
  command.footer(footer + (command.get_footer().empty() ? kExitCodesHelp : command.get_footer()));
  name_values(command);
  for (CLI::App* const inner : command.get_subcommands(nullptr))
    complete(*inner, name.empty() ? inner->get_name() : base::format("{} {}", name, inner->get_name()));
}

}  // namespace

void complete_help(CLI::App& program) {
  complete(program, "");
}

std::string help_of(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  std::string name = program.get_name();
  for (const std::string& word : words) {
    const std::vector<std::string> names = subcommand_names(*command);
    if (std::ranges::find(names, word) == names.end()) {
      const std::string suggestion = did_you_mean(word, names);
      throw CLI::ValidationError(
          base::format("{} has no command `{}`{}{}", name, word, suggestion.empty() ? "" : ".", suggestion));
    }
    command = command->get_subcommand(word);
    name += ' ' + word;
  }
  // CLI::App::help() would show the help of the subcommand on the command line, which is `help`.
  return command->get_formatter()->make_help(command, name, CLI::AppFormatMode::Normal);
}

std::string help_of_parsed(const CLI::App& program) {
  std::vector<std::string> words;
  for (const CLI::App* command = &program; !command->get_subcommands().empty();) {
    command = command->get_subcommands().front();
    words.push_back(command->get_name());
  }
  return help_of(program, words);
}

void add_help(CLI::App& program) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* const command = program.add_subcommand("help", "Show the help of a command");
  command->add_option("COMMAND", *words, "The command, such as `cache stats`; without it, the help of graft");
  command->callback([words, &program] { print(help_of(program, *words), coloured_help); });
}

}  // namespace graft::cli
