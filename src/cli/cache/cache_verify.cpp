// `graft cache verify`: reads every entry in full and prints the entries that cannot be used. It removes an entry from
// the user's own folder if no process can ever use the entry: if it is damaged, has a file name that is not the hash of
// its key, is not a regular file, or is owned or writable by another user.

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/format.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/cache/command_cache.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/progress.hpp"
#include "store/maintenance.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

std::vector<store::EntryInfo> verify_entries(const store::Store& store, std::vector<std::string>& problems) {
  ProgressBar bar("reading the cache");
  return store::verify(store, problems, [&](std::size_t done, std::size_t all) { bar.show_of(done, all); });
}

void verify(bool as_json) {
  const store::Store store(cache_place());
  std::vector<std::string> problems;
  std::string text;
  json entries = json::array();
  bool is_clean = true;
  for (const store::EntryInfo& info : verify_entries(store, problems)) {
    is_clean &= info.is_removed;
    text += base::format("{}: {}; {}\n", printable(info.file.string()), printable(info.trouble),
                         info.is_removed ? "removed" : "left there");
    entries.push_back({{"file", info.file.string()}, {"trouble", info.trouble}, {"removed", info.is_removed}});
  }
  if (as_json) print_json({{"unusable", entries}, {"problems", problems}});
  else print(text);
  fail_if_any(problems);
  if (!is_clean) throw CLI::RuntimeError(kWorkFailed);
}

}  // namespace

void add_cache_verify(CLI::App& cache) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* const command = cache.add_subcommand(
      "verify", "Read every cache entry, print the unusable entries, and remove those that no process can ever use");
  command->add_flag("--json", *as_json, "Print the unusable entries as JSON");
  command->footer(
      "Nothing is removed from read-only layers. Exit codes: 0 all entries that remain are usable; 1 an unusable entry "
      "remains; 2 wrong usage.");
  command->callback([as_json] { verify(*as_json); });
}

}  // namespace graft::cli
