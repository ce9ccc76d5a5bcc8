#include "cli/help/manual.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "cli/help/examples.hpp"
#include "cli/help/suggestion.hpp"
#include "cli/output/output.hpp"
#include "graft/version.hpp"

namespace graft::cli {
namespace {

// Calls `visit` with every command and its full name: "" for the program, "cache", "cache stats".
template <class Visit>
void visit_commands(const CLI::App& command, const std::string& name, const Visit& visit) {
  visit(command, name);
  for (const std::string& inner : subcommand_names(command))
    visit_commands(*command.get_subcommand(inner), name.empty() ? inner : base::format("{} {}", name, inner), visit);
}

// ---- the manual page ----

// Protects the characters that mean something to roff.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') result += "\\e";
    else if (c == '-') result += "\\-";
    else if (c == '\'') result += "\\(aq";
    else if (c == '\n') result += "\n.br\n";
    else if (c == '.' && (result.empty() || result.back() == '\n')) result += "\\&.";
    else result += c;
  }
  return result;
}

// "-i, --in FILE"
std::string option_title(const CLI::Option& option) {
  std::string title;
  for (const std::string& name : option.get_snames()) title += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) title += "--" + name + ", ";
  if (option.get_positional()) title += option.get_name() + ", ";
  title.resize(title.size() - 2);
  return title + (option.get_option_text().empty() ? "" : " " + option.get_option_text());
}

std::string options_of(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* const option : command.get_options())
    text += base::format(".TP\n.B {}\n{}\n", roff(option_title(*option)), roff(option->get_description()));
  return text;
}

std::string examples_text(const std::string& name) {
  std::string text;
  for (const std::string_view example : examples_of(name)) text += base::format(".br\n{}\n", roff(example));
  return text.empty() ? text : ".PP\nExamples:\n" + text;
}

// ---- the completion ----

// The words that an option takes.
constexpr auto kOptionWords = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"--route", "lto program ptx indirect host"},
    {"--forbid-route", "lto program ptx indirect host"},
    {"--format", "pack ltoir fatbin ptx cubin"},
    {"--std", "17 20"},
    {"--precision", "f32 f64"},
    {"--directions", "both forward inverse"},
    {"--scaling", "none by-length unitary"},
});

// The options and subcommands that can stand behind a command's name.
std::string words_behind(const CLI::App& command) {
  std::string words;
  for (const std::string& name : subcommand_names(command)) words += name + ' ';
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& name : option->get_lnames()) words += "--" + name + ' ';
  if (!words.empty()) words.pop_back();
  return words;
}

}  // namespace

std::string manual_page(const CLI::App& program) {
  std::string text = base::format(
      ".TH GRAFT 1 \"\" \"graft {}\" \"User Commands\"\n.SH NAME\ngraft \\- {}\n.SH SYNOPSIS\n.B graft\n.I COMMAND\n"
      "[OPTIONS]\n.SH DESCRIPTION\n{}\n",
      GRAFT_VERSION_STRING, "builds GPU kernels from CUDA device functions", roff(program.get_description()));
  visit_commands(program, "", [&](const CLI::App& command, const std::string& name) {
    if (!name.empty()) text += base::format(".SH graft {}\n{}\n", roff(name), roff(command.get_description()));
    text += options_of(command) + examples_text(name);
  });
  text +=
      ".SH EXIT STATUS\n0 success; 1 the command failed, and standard error says why; 2 wrong usage.\n.SH ENVIRONMENT\n"
      "GRAFT_CACHE_DIR, GRAFT_CACHE_PATH, GRAFT_CACHE_MAX_BYTES and GRAFT_CACHE choose and bound the cache, "
      "GRAFT_CUDA_PATH the CUDA toolkit. NO_COLOR switches colours off.\n";
  return text;
}

std::string bash_completion(const CLI::App& program) {
  std::string commands;
  visit_commands(program, "", [&](const CLI::App& command, const std::string& name) {
    std::string words = words_behind(command);
    if (name == "help") words += ' ' + base::join(subcommand_names(program), " ");
    commands += base::format("    '{}') words='{}' ;;\n", name, words);
  });
  std::string values;
  for (const auto& [option, words] : kOptionWords)
    values += base::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", option, words);
  // The words that name commands lead from the front of the line to the innermost command.
  return base::format(
      R"(# Completion of the program graft for bash.
_graft_words() {{
  case "$1" in
{}    *) return 1 ;;
  esac
}}
_graft() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" name='' words='' i next
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="$name${{name:+ }}${{COMP_WORDS[i]}}"
    [[ "$next" == "help "* ]] && next="${{next#help }}"
    _graft_words "$next" || break
    name="$next"
  done
  case "$before" in
{}  esac
  _graft_words "$name"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ "$word" == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _graft graft
)",
      commands, values);
}

void add_manual(CLI::App& program) {
  program.add_subcommand("__manual", "")->group("")->callback([&program] { print(manual_page(program)); });
  program.add_subcommand("__completion", "")->group("")->callback([&program] { print(bash_completion(program)); });
}

}  // namespace graft::cli
