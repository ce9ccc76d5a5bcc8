// A BuildRequest says which callback, or which FFT, the user wants to be built, and how. It holds the options that
// several commands share (--entry, --define, ...).
//
// Each option is one row of a table in build_request.cpp. The same rows define the options on the command line, the
// lines of a list for `graft warm`, and the message to a child process.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "families/job.hpp"
#include "graft/callback.hpp"
#include "graft/fft.hpp"
#include "graft/options.hpp"
#include "graft/route.hpp"

namespace CLI {
class App;
}

namespace graft::cli {

inline constexpr std::array kRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};

struct BuildRequest {
  std::string callback;  // the path of a file (source, compiled, pack), or source text if no such file exists
  // The bytes of the file `callback`, if this process has already read the file. They are kept because a pipe can be
  // read only once.
  std::optional<std::string> content;
  std::string architecture;
  std::string entry;
  std::string signature;
  std::string route;
  std::vector<std::string> forbidden_routes;
  std::vector<std::string> defines;  // NAME or NAME=VALUE
  std::vector<std::string> includes;
  std::vector<std::string> compiler_options;
  std::vector<std::string> link_inputs;  // paths of binaries
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
  bool allow_thread_words = false;

  // An FFT, in place of `callback`. Each of the three callbacks is a file or text, like `callback`.
  int fft_length = 0;  // 0: no FFT
  std::string fft_precision = "f32";
  std::string fft_directions = "both";
  std::string fft_scaling = "none";
  std::string fft_load;
  std::string fft_between;
  std::string fft_store;
  std::string fft_load_entry;
  std::string fft_load_signature;
  std::string fft_between_entry;
  std::string fft_between_signature;
  std::string fft_store_entry;
  std::string fft_store_signature;
  bool fft_has_strides = false;
  bool fft_has_long_arrays = false;
  int kernel = 0;  // which of the kernels for `architecture` step() returns

  bool operator==(const BuildRequest&) const = default;

  // Returns whether `callback` is source text and not the path of a file.
  bool is_text() const;
  // Reads the file `callback` into `content`. Throws Error(FileUnreadable).
  void read_content();

  // Returns the job, with its callbacks. Throws Error: InvalidArgument, FileUnreadable, ImageRefused.
  families::Job job() const;
  // Returns one of the job's kernels. Throws what job() throws.
  Step step() const;
  Options options() const;

  bool is_fft() const { return fft_length != 0; }
  // How many kernels the request has for `architecture`: one, or those of an FFT. Throws Error(InvalidArgument) for
  // lengths that FFTs do not have.
  int kernel_count() const;

  // Returns the callback's name for messages. It is the path, or the first line of the text, printable and cut to 200
  // bytes.
  std::string title() const;

  // Parses the arguments of one line of a `graft warm` list. Does not check `architecture`, because its value may be a
  // list ("75,90"). Throws CLI::ParseError for invalid arguments.
  static BuildRequest from_words(std::vector<std::string> words);

 private:
  FftPlan fft_plan() const;
  FftCallbacks fft_callbacks() const;
  Callback read_callback() const;
};

// Encodes a request for a child process, and decodes it there. Decoding returns every value unchanged: empty values,
// arbitrary bytes, any length.
base::Bytes write_request(const BuildRequest& request);
// Returns nothing if the bytes are not a request.
std::optional<BuildRequest> read_request(std::span<const std::byte> bytes);

// Adds to a command the options that say how the callback is compiled: --entry, --define, --fast-math, ... `request`
// must outlive the command.
void add_compile_options(CLI::App& command, BuildRequest& request);

// Adds to a command the options for FFTs: --fft, --load, ... The command then needs either these or its positional
// argument `callback_name`. Call this after the positional argument was added. `request` must outlive the command.
void add_fft_options(CLI::App& command, BuildRequest& request, const std::string& callback_name);

// Adds the positional argument for the callback, called `callback_name` in the help, and all options of a request to a
// command. `request` must outlive the command.
void add_request_options(CLI::App& command, BuildRequest& request, const std::string& callback_name);

}  // namespace graft::cli
