// `graft cache dir` prints where the cache is, `graft cache list` prints one line for each cached kernel.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "cli/cache/cache_entries.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/cache/command_cache.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

void dir(bool as_json) {
  const store::Settings place = cache_place();
  if (!as_json) return print(place.folder.empty() ? "" : printable(place.folder.string()) + '\n');
  json layers = json::array();
  for (const std::filesystem::path& layer : place.layers) layers.push_back(layer.string());
  print_json({{"folder", place.folder.string()}, {"layers", layers}});
}

void list(const EntryFilter& filter, bool as_json) {
  const store::Store store(cache_place());
  std::vector<std::string> problems;
  std::string text;
  json entries = json::array();
  const std::vector<store::EntryInfo> all = read_entries(store, problems);
  for (const store::EntryInfo& info : filter.of(all)) {
    if (as_json) entries.push_back(json_of(info));
    else text += line_of(info) + '\n';
  }
  if (as_json) print_json({{"entries", entries}, {"problems", problems}});
  else print(text);
  if (!as_json && text.empty())
    complain(!all.empty()       ? base::format("None of the {} kernels in the cache is of this kind.", all.size())
             : problems.empty() ? "The cache has no kernels."
                                : "The cache has no kernel that can be read.");
  fail_if_any(problems);
}

}  // namespace

void add_cache_dir(CLI::App& cache) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* const command = cache.add_subcommand("dir", "Print the folder of the cache");
  command->add_flag("--json", *as_json, "Print the folder and the read-only layers as JSON");
  command->callback([as_json] { dir(*as_json); });
}

void add_cache_list(CLI::App& cache) {
  auto filter = std::make_shared<EntryFilter>();
  auto as_json = std::make_shared<bool>(false);
  CLI::App* const command = cache.add_subcommand(
      "list", "List the cached kernels: name, architecture, route, size, last use, callback, signature");
  add_filter_options(*command, *filter);
  command->add_flag("--json", *as_json, "Print the result as JSON");
  command->callback([filter, as_json] { list(*filter, *as_json); });
}

}  // namespace graft::cli
