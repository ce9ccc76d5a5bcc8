// Checks of command line arguments that CLI11, the library that parses the command line, does not make.
//
// An unset variable in a script leaves an empty value, as in `-I "$UNSET"` or `--include="$UNSET"`. CLI11 accepts `-I
// ""` as an empty folder, and takes the argument after `--include=` as the value of --include. graft refuses both
// forms, for every option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace graft::cli {

// Makes every option and positional argument of a command and of its subcommands refuse an empty value.
void refuse_empty_values(CLI::App& command);

// Throws CLI::ValidationError for the first argument of the form `--name=`.
void check_words(const std::vector<std::string>& words);

// Splits "75,90" into "75" and "90". Keeps empty parts: "75," gives "75" and "".
std::vector<std::string> split_at_commas(std::string_view text);

// Returns what is wrong with a word that must be one of `choices`, with a suggestion, or an empty text: "there is no
// route `lot`: name one of lto, ptx. Did you mean `lto`?"
std::string problem_of_choice(std::string_view what, const std::string& word, const std::vector<std::string>& choices);

// Functions for CLI::Option::check. Each returns what is wrong with the value, or an empty text.
std::string problem_of_define(const std::string& word);         // NAME or NAME=VALUE
std::string problem_of_architectures(const std::string& word);  // one or more, separated by commas: 90,sm_90a
std::string problem_of_architecture(const std::string& word);   // exactly one
std::string problem_of_registers(const std::string& word);      // 0, or 16 to 255

}  // namespace graft::cli
