// Describes cache entries as text and as JSON, and selects entries by the filter options (--name, --callback, --arch,
// --route).
#include "cli/cache/cache_entries.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/format.hpp"
#include "cli/commands/words.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/size_text.hpp"

namespace graft::cli {
namespace {

constexpr std::string_view kKernelPrefix = "graft_transform_";
constexpr std::size_t kShortName = 12;

std::string signature_text(const store::EntryInfo& info) {
  return info.entry->report.kernel.signature.text();
}

bool fits(const std::vector<std::string>& words, const std::string& value) {
  return words.empty() || std::ranges::find(words, value) != words.end();
}

}  // namespace

std::vector<store::EntryInfo> read_entries(const store::Store& store, std::vector<std::string>& problems) {
  ProgressBar bar("reading the cache");
  return store::list_entries(store, problems, [&](std::size_t done, std::size_t all) { bar.show_of(done, all); });
}

std::string callback_name(const store::EntryInfo& info) {
  const std::string& kernel = info.entry->report.kernel.name;
  return kernel.starts_with(kKernelPrefix) ? kernel.substr(kKernelPrefix.size()) : kernel;
}

std::string short_name(const store::EntryInfo& info) {
  return info.name.substr(0, kShortName);
}

std::string line_of(const store::EntryInfo& info) {
  const char* const layer = info.is_in_layer ? ", in a layer" : "";
  if (!info.entry) return base::format("{}  {}{}", printable(short_name(info)), printable(info.trouble), layer);
  const Report& report = info.entry->report;
  return base::format("{}  {:<7} {:<8} {:>9}  {}  {}: {}{}", printable(short_name(info)),
                      report.kernel.architecture.sm(), name(report.kernel.route), size_text(info.bytes),
                      time_text(info.used), printable(callback_name(info), 60), printable(signature_text(info), 120),
                      layer);
}

nlohmann::json json_of(const store::EntryInfo& info) {
  nlohmann::json object = {{"name", info.name},
                           {"file", info.file.string()},
                           {"in_layer", info.is_in_layer},
                           {"bytes", info.bytes},
                           {"used", time_text(info.used)}};
  if (info.entry) {
    object["callback"] = callback_name(info);
    object["signature"] = signature_text(info);
    object["architecture"] = info.entry->report.kernel.architecture.sm();
    object["route"] = name(info.entry->report.kernel.route);
  } else {
    object["trouble"] = info.trouble;
  }
  return object;
}

bool EntryFilter::matches(const store::EntryInfo& info) const {
  if (!info.entry) return is_empty();
  std::vector<std::string> sms;
  for (const std::string& words : architectures)
    for (const std::string& word : split_at_commas(words)) sms.push_back(Architecture::parse(word).sm());
  const auto begins_so = [&](const std::string& prefix) { return info.name.starts_with(prefix); };
  return (names.empty() || std::ranges::any_of(names, begins_so)) && fits(callbacks, callback_name(info)) &&
         fits(sms, info.entry->report.kernel.architecture.sm()) &&
         fits(routes, std::string(name(info.entry->report.kernel.route)));
}

std::vector<store::EntryInfo> EntryFilter::of(std::vector<store::EntryInfo> entries) const {
  std::erase_if(entries, [&](const store::EntryInfo& info) { return !matches(info); });
  return entries;
}

void add_filter_options(CLI::App& command, EntryFilter& filter) {
  const auto add = [&](const char* option, std::vector<std::string>& words, const char* help) {
    return command.add_option(option, words, help)->allow_extra_args(false);
  };
  add("--name", filter.names, "Only entries whose name starts with this text (repeatable)");
  add("--callback", filter.callbacks, "Only kernels of the callback with this name, e.g. relu (repeatable)");
  add("--arch", filter.architectures, "Only kernels for these architectures: 90 or 75,90a (repeatable)")
      ->check(problem_of_architectures);
  add("--route", filter.routes, "Only kernels built by this route (repeatable)")->check([](const std::string& word) {
    return problem_of_choice("route of cached kernels", word, {"lto", "program", "ptx", "indirect"});
  });
}

}  // namespace graft::cli
