// What the user asked to be built: the words that several commands share (--entry, --define, ...), kept as they came,
// so that they can be handed to a child process as words again.
#pragma once

#include <string>
#include <vector>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace CLI {
class App;
}

namespace graft::cli {

struct BuildRequest {
  std::string callback;  // a file of any form, or source text where there is no file of that name
  std::string architecture;
  std::string entry;
  std::string signature;
  std::string route;
  std::vector<std::string> forbidden_routes;
  std::vector<std::string> defines;  // NAME or NAME=VALUE
  std::vector<std::string> includes;
  int standard = 17;
  int max_registers = 0;
  bool libdevice = false;
  bool line_info = false;
  bool fast_math = false;
  bool no_contraction = false;
  bool flush_to_zero = false;
  bool approximate_division = false;
  bool approximate_square_root = false;

  // Throws Error: InvalidArgument, FileUnreadable, ImageRefused.
  Callback read_callback() const;
  Options options() const;

  // The callback as messages name it: the file, or the first line of the text.
  std::string title() const;

  // The request as words of a command line that add_request_options reads back, and from_words too.
  std::vector<std::string> words() const;

  // Throws CLI::ParseError for words that have no meaning.
  static BuildRequest from_words(std::vector<std::string> words);
};

// Adds what says how a callback is compiled, whatever is made of it, to a command. `request` must outlive it.
void add_compile_options(CLI::App& command, BuildRequest& request);

// Adds the positional CALLBACK (under that name) and all options of a request to a command. `request` must outlive it.
void add_request_options(CLI::App& command, BuildRequest& request, const std::string& callback_name);

}  // namespace graft::cli
