#include "cli/commands/families/job_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "cli/commands/families/fft_options.hpp"
#include "cli/commands/families/kernel_options.hpp"
#include "cli/commands/families/reduce_options.hpp"

namespace graft::cli {
namespace {

// The options of the callbacks: first each callback's own option, then what belongs to each of them.
std::vector<JobOption> options_of_callbacks(const JobOptions& job) {
  std::vector<JobOption> options;
  for (const JobPlace& place : job.places())
    if (option_of(place.place) != job.options().front().name)
      options.push_back({option_of(place.place), place.help, "CALLBACK"});
  for (const JobPlace& place : job.places()) {
    options.push_back({option_of(place.place, "-entry"), base::format("--entry of {}", place.title), "FUNCTION"});
    options.push_back(
        {option_of(place.place, "-signature"), base::format("--signature of {}", place.title), "DECLARATION"});
  }
  return options;
}

template <class Words>
std::string or_each(std::span<const JobOptions* const> jobs, const Words& words_of) {
  std::string text;
  for (const JobOptions* const job : jobs) text += base::format(" or {}", words_of(*job));
  return text;
}

}  // namespace

std::string value_of(std::span<const GivenOption> given, std::string_view name, std::string_view otherwise) {
  const auto found = std::ranges::find(given, name, &GivenOption::name);
  return std::string(found == given.end() ? otherwise : found->value);
}

std::vector<std::string> values_of(std::span<const GivenOption> given, std::string_view name) {
  std::vector<std::string> values;
  for (const GivenOption& one : given)
    if (one.name == name) values.push_back(one.value);
  return values;
}

std::string option_of(std::string_view place, std::string_view ending) {
  return base::format("--{}{}", place, ending);
}

std::span<const JobOptions* const> all_job_options() {
  static const std::array all = {&fft_options(), &reduce_options(), &kernel_options()};
  return all;
}

const JobOptions* job_options_of(std::span<const GivenOption> given) {
  for (const JobOptions* const job : all_job_options())
    if (!value_of(given, job->options().front().name).empty()) return job;
  return nullptr;
}

std::string or_nouns(std::span<const JobOptions* const> jobs) {
  return or_each(jobs, [](const JobOptions& job) { return job.noun(); });
}

std::string or_options(std::span<const JobOptions* const> jobs) {
  return or_each(jobs, [](const JobOptions& job) { return job.options().front().name; });
}

CLI::Option* add_option(CLI::App& command, const JobOption& option, std::vector<GivenOption>& given) {
  if (option.value_name.empty())
    return command.add_flag_callback(
        option.name,
        [&given, name = option.name] {
          given.push_back({name, "1"});
        },
        option.help);
  CLI::Option* const added = command.add_option_function<std::string>(
      option.name,
      [&given, name = option.name](const std::string& value) {
        given.push_back({name, value});
      },
      option.help);
  added->option_text(option.value_name);
  if (option.is_repeatable) added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->trigger_on_parse();
  return option.problem ? added->check(option.problem) : added;
}

CLI::Option* add_options_of(const JobOptions& job, CLI::App& command, std::vector<GivenOption>& given) {
  std::vector<JobOption> options = job.options();
  CLI::Option* const first = add_option(command, options.front(), given);
  options.erase(options.begin());
  for (const JobOption& option : options_of_callbacks(job)) add_option(command, option, given)->needs(first);
  for (const JobOption& option : options) add_option(command, option, given)->needs(first);
  return first;
}

void add_job_options(CLI::App& command, CLI::Option* callback, CLI::Option* formula, std::vector<GivenOption>& given,
                     std::span<const JobOptions* const> jobs) {
  std::vector<CLI::Option*> asking = {callback};
  if (formula != nullptr) asking.push_back(formula);
  for (const JobOptions* const job : jobs) {
    CLI::Option* const first = add_options_of(*job, command, given);
    for (CLI::Option* const other : asking) first->excludes(other);
    asking.push_back(first);
  }
  callback->required(false);
  command.parse_complete_callback([asking, missing = callback->get_name() + or_options(jobs)] {
    if (std::ranges::all_of(asking, [](const CLI::Option* one) { return one->count() == 0; }))
      throw CLI::RequiredError(missing);
  });
}

}  // namespace graft::cli
