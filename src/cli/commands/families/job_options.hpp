// JobOptions are the options with which a command line asks for a job of a family, in place of a callback:
// `--fft 4096 --load window.cu`. A family that the command line knows implements JobOptions in this folder, and is in
// the list in job_options.cpp.
//
// Each callback of a job has three options: for the place `load` they are --load, --load-entry and --load-signature.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/phrases.hpp"
#include "families/job.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace graft::cli {

struct JobOption {
  std::string name;  // "--fft"
  std::string help;
  // What the help calls the option's value. Empty for an option without a value.
  std::string value_name;
  // Returns what is wrong with a value, or an empty text. May be empty.
  std::function<std::string(const std::string&)> problem = {};
  bool is_repeatable = false;
};

// A callback that a job may have.
struct JobPlace {
  const char* place;  // "load"
  const char* title;  // "the load callback"
  const char* help;
};

// An option that a command line has, with its value. An option without a value has the value "1".
struct GivenOption {
  std::string name;
  std::string value;
};

// Returns the value of an option, or `otherwise` if the option is not given.
std::string value_of(std::span<const GivenOption> given, std::string_view name, std::string_view otherwise = {});

// Returns the values of an option that may be given several times.
std::vector<std::string> values_of(std::span<const GivenOption> given, std::string_view name);

// Returns the name of an option of the callback at a place: "--load", or with the ending "-entry" "--load-entry".
std::string option_of(std::string_view place, std::string_view ending = {});

class JobBench;  // cli/bench/subject.hpp
class JobTuner;  // cli/tune/job_tuner.hpp

class JobOptions {
 public:
  virtual ~JobOptions() = default;

  // Returns the options. The first asks for a job of the family, and the others need it. It may be that of a callback.
  virtual std::vector<JobOption> options() const = 0;
  virtual std::vector<JobPlace> places() const = 0;

  virtual const char* noun() const noexcept = 0;     // "an FFT"
  virtual const char* example() const noexcept = 0;  // a command line, for `graft help precompile`
  // Returns what messages and the output of commands call the job: "FFT of 4096 points".
  virtual std::string title(std::span<const GivenOption> given) const = 0;
  // Returns the members with which JSON output describes the job.
  virtual nlohmann::json description(std::span<const GivenOption> given) const = 0;
  // Returns the members that JSON output has in place of a callback's source.
  virtual nlohmann::json source(std::span<const GivenOption> given) const = 0;

  // Returns the files, or source texts, that are named by the options and not by a place.
  virtual std::vector<std::string> files(std::span<const GivenOption> /*given*/) const { return {}; }
  // Returns headers that the options add to Options::headers.
  virtual std::vector<Header> headers(std::span<const GivenOption> /*given*/) const { return {}; }
  // Whether `graft inspect` describes the job's pack, and not kernels that it builds.
  virtual bool is_described_by_its_pack() const noexcept { return false; }

  // Returns how `graft bench` measures jobs of the family, or null if it takes none.
  virtual const JobBench* bench() const noexcept { return nullptr; }

  // Returns what `graft tune` measures of the family, or null if it measures nothing.
  virtual const JobTuner* tuner() const noexcept { return nullptr; }

  // Returns the phrases of messages that name members of C++, and the options that are in their place.
  virtual std::span<const base::Phrase> words_of_options() const { return {}; }

  // Returns the job. `callback` returns the callback of a place, or nothing if the command line has none. Throws
  // Error(InvalidArgument).
  virtual families::Job job(std::span<const GivenOption> given,
                            const std::function<std::optional<Callback>(std::string_view)>& callback) const = 0;
};

// Returns the JobOptions of each family that has some.
std::span<const JobOptions* const> all_job_options();

// Returns those of the job that the options ask for, or null if they ask for none.
const JobOptions* job_options_of(std::span<const GivenOption> given);

// Returns the nouns of all jobs, or the options that ask for some: " or an FFT", " or --fft".
std::string or_nouns(std::span<const JobOptions* const> jobs = all_job_options());
std::string or_options(std::span<const JobOptions* const> jobs = all_job_options());

// Adds one option to a command. `given` must outlive the command.
CLI::Option* add_option(CLI::App& command, const JobOption& option, std::vector<GivenOption>& given);

// Adds the options of one family to a command, and returns the one that asks for a job. `given` must outlive the
// command.
CLI::Option* add_options_of(const JobOptions& job, CLI::App& command, std::vector<GivenOption>& given);

// Adds the options of families to a command. The command then needs one job, its positional argument `callback`, or
// `formula`, which may be null. `given` must outlive the command.
void add_job_options(CLI::App& command, CLI::Option* callback, CLI::Option* formula, std::vector<GivenOption>& given,
                     std::span<const JobOptions* const> jobs);

}  // namespace graft::cli
