// The program prints everything through these functions, except for progress (progress.hpp): results on standard
// output, messages on standard error.
//
// Control characters are replaced by visible escapes (visible() in printable.hpp), because parts of the text can come
// from files of unknown origin.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace graft::cli {

// Returns a text with colours: coloured_help or coloured_diagnosis of terminal.hpp.
using Colouring = std::string (*)(std::string_view);

// Prints a result on standard output, with colours if standard output is a terminal and `colouring` is given. Throws
// std::runtime_error if standard output cannot be written (a full disk, a closed pipe), so that a script does not take
// half a result for a whole result.
void print(std::string_view text, Colouring colouring = nullptr);
// Prints indented JSON in ASCII. Bytes that are not valid UTF-8 become U+FFFD.
void print_json(const nlohmann::json& value);

// Prints one message on standard error, and adds the line end.
void complain(std::string_view text) noexcept;

}  // namespace graft::cli
