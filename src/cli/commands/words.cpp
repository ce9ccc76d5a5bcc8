#include "cli/commands/words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "cli/help/suggestion.hpp"
#include "graft/architecture.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr const char* kUnset = "is a variable unset?";

// Options that have their own message for an empty value.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kEmpty = {{
    {"--include", "-I has an empty folder"},
    {"--define", "-D has an empty name"},
}};

std::string words_for_empty(const CLI::Option& option) {
  for (const auto& [name, words] : kEmpty)
    if (option.get_name() == name) return base::format("{}: {}", words, kUnset);
  return option.get_positional() ? base::format("it is empty: {}", kUnset)
                                 : base::format("{} has an empty value: {}", option.get_name(), kUnset);
}

}  // namespace

void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    const auto check = [words = words_for_empty(*option)](std::string value) {
      if (value.empty()) throw CLI::ValidationError(words);
      return value;
    };
    option->transform(check);  // runs before the option's own checks
  }
  for (CLI::App* const subcommand : command.get_subcommands(nullptr)) refuse_empty_values(*subcommand);
}

void check_words(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return;  // only positional arguments follow
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1)
      throw CLI::ValidationError(base::format("{} has an empty value: {}", word, kUnset));
  }
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

std::string problem_of_choice(std::string_view what, const std::string& word, const std::vector<std::string>& choices) {
  if (std::ranges::find(choices, word) != choices.end()) return {};
  const std::string suggestion = did_you_mean(word, choices);
  return base::format("there is no {} `{}`: name one of {}{}{}", what, word, base::join(choices, ", "),
                      suggestion.empty() ? "" : ".", suggestion);
}

std::string problem_of_define(const std::string& word) {
  return word.starts_with('=') ? base::format("-D has an empty name: {}", kUnset) : std::string();
}

std::string problem_of_architecture(const std::string& word) {
  try {
    Architecture::parse(word);
    return {};
  } catch (const Error& error) {
    return base::format("{}. {}", error.message(), error.remedy());
  }
}

std::string problem_of_architectures(const std::string& word) {
  for (const std::string& part : split_at_commas(word))
    if (std::string problem = problem_of_architecture(part); !problem.empty()) return problem;
  return {};
}

std::string problem_of_registers(const std::string& word) {
  int number = 0;
  if (CLI::detail::lexical_cast(word, number) && (number == 0 || (number >= 16 && number <= 255))) return {};
  return base::format("{} is not a valid number of registers: give 16 to 255, or 0 for the compiler's choice", word);
}

}  // namespace graft::cli
