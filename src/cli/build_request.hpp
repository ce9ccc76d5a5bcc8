// What the user asked to be built: the options that several commands share (--entry, --define, ...).
//
// Each option is one row of a table in build_request.cpp. The command line, the lines of a list and the message to a
// child process are all made from those rows.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "graft/route.hpp"

namespace CLI {
class App;
}

namespace graft::cli {

inline constexpr std::array kRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};

struct BuildRequest {
  std::string callback;  // a file of any form, or source text where there is no file of that name
  // The bytes of the file `callback`, when they were read already: a pipe can be read only once.
  std::optional<std::string> content;
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
  bool closed = false;

  bool operator==(const BuildRequest&) const = default;

  // Whether `callback` is source text and names no file.
  bool is_text() const;
  // Reads the file `callback` into `content`. Throws Error(FileUnreadable).
  void read_content();

  // Throws Error: InvalidArgument, FileUnreadable, ImageRefused.
  Callback read_callback() const;
  Options options() const;

  // The callback as messages name it: the file, or the first line of the text; printable, and not too long.
  std::string title() const;

  // From the words of a command line, of which --arch may be a list. Throws CLI::ParseError for words that have no
  // meaning.
  static BuildRequest from_words(std::vector<std::string> words);
};

// A request as bytes for a child process, and back. Every value arrives as it is: empty, with any bytes, of any length.
base::Bytes write_request(const BuildRequest& request);
// Nothing for bytes that are no request.
std::optional<BuildRequest> read_request(std::span<const std::byte> bytes);

// Adds what says how a callback is compiled, whatever is made of it, to a command. `request` must outlive it.
void add_compile_options(CLI::App& command, BuildRequest& request);

// Adds the positional CALLBACK (under that name) and all options of a request to a command. `request` must outlive it.
void add_request_options(CLI::App& command, BuildRequest& request, const std::string& callback_name);

}  // namespace graft::cli
