// Finds out what a user meant by a misspelt word: `graft inspct` -> "Did you mean `inspect`?"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace graft::cli {

// Returns " Did you mean `lto`?", which can follow a sentence, or an empty text if no candidate is similar to `word`.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// Returns the names of a command's subcommands, without those that graft starts itself (`__child`).
std::vector<std::string> subcommand_names(const CLI::App& command);

// Returns the suggestion for the first word of a command line that is no command and no option, or an empty text.
// `words` are the arguments of the program, which CLI11 has refused.
std::string suggestion_for(const CLI::App& program, std::span<const std::string> words);

// Returns the first word of a command line that stands where a command's name should and is none, or an empty text.
std::string unknown_command(const CLI::App& program, std::span<const std::string> words);

// Returns the beginning of the command line that names commands: "cache stats" of {"cache", "stats", "--jsn"}.
std::string named_command(const CLI::App& program, std::span<const std::string> words);

}  // namespace graft::cli
