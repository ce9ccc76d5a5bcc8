#include "cli/help/suggestion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/format.hpp"
#include "reflect/callback/scan.hpp"

namespace graft::cli {
namespace {

// The command that the first words name, and the words behind its name.
struct Named {
  const CLI::App* command = nullptr;
  std::string name;
  std::span<const std::string> rest;
};

Named find_named(const CLI::App& program, std::span<const std::string> words) {
  Named named{&program, {}, words};
  while (!named.rest.empty()) {
    const std::vector<std::string> names = subcommand_names(*named.command);
    const std::string& word = named.rest.front();
    if (std::ranges::find(names, word) == names.end()) break;
    named.command = named.command->get_subcommand(word);
    named.name += (named.name.empty() ? "" : " ") + word;
    named.rest = named.rest.subspan(1);
  }
  return named;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Returns the option that prints the version for a word that asks other programs for theirs, or an empty text.
std::string_view version_option(std::string_view word) {
  return word == "version" || word == "-v" ? "--version" : "";
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string guess = reflect::nearest(word, candidates);
  return guess.empty() || guess == word ? std::string() : base::format(" Did you mean `{}`?", guess);
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!one->get_name().starts_with("__")) names.push_back(one->get_name());
  return names;
}

std::string suggestion_for(const CLI::App& program, std::span<const std::string> words) {
  const Named named = find_named(program, words);
  const std::vector<std::string> options = option_names(*named.command);
  const std::vector<std::string> commands = subcommand_names(*named.command);
  if (named.command == &program && !named.rest.empty())
    if (const std::string_view option = version_option(named.rest.front()); !option.empty())
      return base::format(" Did you mean `{}`?", option);
  for (const std::string& word : named.rest) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("-") && std::ranges::find(options, name) == options.end()) {
      // `-arch` and `-json` miss one of the two dashes.
      const std::string whole = name.starts_with("--") ? name : "-" + name;
      const bool is_word = name.size() > 2;
      if (is_word && std::ranges::find(options, whole) != options.end()) return " Did you mean `" + whole + "`?";
      if (std::string text = is_word ? did_you_mean(whole, options) : ""; !text.empty()) return text;
    }
    if (!name.starts_with("-") && !commands.empty()) return did_you_mean(name, commands);
  }
  return {};
}

std::string unknown_command(const CLI::App& program, std::span<const std::string> words) {
  const Named named = find_named(program, words);
  if (subcommand_names(*named.command).empty()) return {};
  for (const std::string& word : named.rest)
    if (!word.starts_with("-")) return word;
  return {};
}

std::string named_command(const CLI::App& program, std::span<const std::string> words) {
  return find_named(program, words).name;
}

}  // namespace graft::cli
