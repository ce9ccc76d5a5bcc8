// Words of a command line that CLI11 takes and that mean nothing here.
//
// An unset variable of a script leaves an empty value: `-I "$UNSET"` and `--include="$UNSET"`. CLI11 takes the first as
// an empty folder, and gives the second the next word as its value. Both are wrong usage here, of every option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace graft::cli {

// Makes every option and positional of a command and of its subcommands refuse an empty value.
void refuse_empty_values(CLI::App& command);

// Throws CLI::ValidationError for the first `--name=`.
void check_words(const std::vector<std::string>& words);

// "75,90", with the empty parts too.
std::vector<std::string> split_at_commas(std::string_view text);

// For CLI::Option::check: what is wrong with a value, or nothing.
std::string problem_of_define(const std::string& word);         // NAME or NAME=VALUE
std::string problem_of_architectures(const std::string& word);  // 90, sm_90a; or several with commas
std::string problem_of_architecture(const std::string& word);   // one
std::string problem_of_registers(const std::string& word);      // 0, or 16 to 255

}  // namespace graft::cli
