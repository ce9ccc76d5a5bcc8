// A BuildRequest says which callback, or which job of a family, the user wants to be built, and how. It holds the
// options that several commands share (--entry, --define, ...).
//
// Each option is one row of a table in build_options.cpp. The same rows define the options on the command line and the
// lines of a list for `graft warm`.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/families/job_options.hpp"
#include "core/step.hpp"
#include "families/job.hpp"
#include "format/tuning_file.hpp"
#include "graft/callback.hpp"
#include "graft/formula.hpp"
#include "graft/options.hpp"
#include "graft/route.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace graft::families {
class Family;
}

namespace graft::cli {

inline constexpr std::array kRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};

// A number for a name of a formula that has no type there.
struct FormulaNumber {
  std::string name;
  graft::Number value;
};

// The callback of a formula with such numbers, and what its state holds of them.
struct FormulaWithNumbers {
  WeakCallback callback;
  WeakValues values;
};

struct BuildRequest {
  std::string callback;  // the path of a file (source, compiled, pack), or source text if no such file exists
  // Whether `callback` was given by --formula: it is then parsed as a formula and as nothing else, so that a stranger's
  // text never names a file that graft reads.
  bool is_only_formula = false;
  // The bytes of the file `callback`, if this process has already read the file. They are kept because a pipe can be
  // read only once.
  std::optional<std::string> content;
  // Numbers for names that the formula `callback` uses and does not declare, from --state (arrays/formula_numbers.hpp).
  std::vector<FormulaNumber> numbers = {};
  std::string architecture;
  std::string entry;
  std::string signature;
  std::string types;  // as graft::types reads them; empty: the callback has its own
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
  // The kernels that a transform has beside the first, by the names of elementwise/shapes/shape_class.hpp.
  std::vector<std::string> shapes;

  // The options of a family (families/job_options.hpp), which ask for a job in place of `callback`. Empty if there are
  // none.
  std::vector<GivenOption> job_options;
  int kernel = 0;  // which of the kernels for `architecture` step() returns; the first is number 0

  // What was measured on the GPU for which the kernels are made, and the numbers that this kernel takes from it. Not on
  // the command line: `graft warm` sets them (warm_tunings.hpp). Empty: graft's own rules.
  std::shared_ptr<const format::TuningFile> tuning = {};
  std::optional<MeasuredPolicy> measured = {};

  // Returns whether `callback` is source text or a formula, and not the path of a file.
  bool is_text() const;
  // Returns whether `callback` is a formula with its variables (graft::formula).
  bool is_formula() const;
  // Returns the formula with `numbers`. Throws what graft::WeakFormula and its functions throw.
  FormulaWithNumbers formula_with_numbers() const;
  // Reads the file `callback` into `content`. Throws Error(FileUnreadable).
  void read_content();

  // Returns `callback`, read. Throws Error: InvalidArgument, FileUnreadable, ImageRefused.
  Callback read_callback() const;
  // Returns `callback`, read, but not as the instance for `types`. Throws what read_callback throws.
  Callback read_untyped() const;
  // Returns the instance of a callback for `types`, or the callback if there are none. Throws what
  // GenericCallback::instance throws.
  Callback with_types(const Callback& untyped) const;
  // Returns the job, with its callbacks. Throws Error: InvalidArgument, FileUnreadable, ImageRefused.
  families::Job job() const;
  // Returns the job's kernels for `architecture`, or one of them. Throws what job() throws.
  std::vector<Step> steps() const;
  Step step() const;
  Options options() const;

  // Returns the family of the kernels. Reads no file.
  const families::Family& family() const;

  // How many kernels the request has for `architecture`. Reads no file. Throws Error(InvalidArgument) for a job that
  // cannot be.
  int kernel_count() const;

  // Returns the JobOptions of the job that the options ask for, or null if the request has a callback.
  const JobOptions* asked_job() const { return job_options_of(job_options); }
  // Returns the callbacks, each a file or source text. Packs, link inputs and the text of --formula are not among them.
  std::vector<std::string> callbacks() const;

  // Returns what messages call the request: the path, or the first line of the text, printable and cut to 200 bytes; or
  // the title of the job, and the kernel.
  std::string title() const;

  // Parses the arguments of one line of a `graft warm` list. Does not check `architecture`, because its value may be a
  // list ("75,90"). Throws CLI::ParseError for invalid arguments.
  static BuildRequest from_words(std::vector<std::string> words);

 private:
  families::Job outline() const;
  std::optional<Callback> read_callback_at(std::string_view place) const;
};

// Returns the callback in a file, or of source text. Throws Error: FileUnreadable, ImageRefused.
Callback callback_at(const std::string& file_or_text);

// Adds to a command the options that say how the callback is compiled: --signature, --define, --fast-math, ...
// `request` must outlive the command.
void add_compile_options(CLI::App& command, BuildRequest& request);

// The option that names the function of a callback, for commands that take one callback or several.
inline constexpr const char* kEntryOption = "--entry";

// Adds the options of families, which ask for a job, to a command (families/job_options.hpp). Call this after the
// positional argument `callback_name` was added. `request` must outlive the command.
void add_job_options(CLI::App& command, BuildRequest& request, const std::string& callback_name,
                     std::span<const JobOptions* const> jobs = all_job_options());

// Adds --shapes, which asks for several kernels of one callback, to a command. Call this after add_job_options.
// `request` must outlive the command. Returns the option.
CLI::Option* add_shapes_option(CLI::App& command, BuildRequest& request);

// Adds the positional argument for the callback, called `callback_name` in the help, and all options of a request to a
// command. `request` must outlive the command.
void add_request_options(CLI::App& command, BuildRequest& request, const std::string& callback_name);

// The same for a command that takes jobs of one family alone. Returns the option that asks for the job.
CLI::Option* add_request_options_for(const JobOptions& job, CLI::App& command, BuildRequest& request);

}  // namespace graft::cli
