// `graft cache stats`: counts cached kernels and their bytes, by folder, by architecture and by route, and the lookups
// of each day that found their kernel in the cache, or did not (store/uses.hpp).

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/format.hpp"
#include "cli/cache/cache_entries.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/cache/command_cache.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/size_text.hpp"
#include "store/maintenance.hpp"
#include "store/uses.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

struct Sum {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unusable = 0;

  void add(const store::EntryInfo& info) {
    ++entries;
    bytes += info.bytes;
    unusable += info.entry ? 0 : 1;
  }
  std::string text() const {
    return base::format("{}, {}{}", kernels_text(entries), size_text(bytes),
                        unusable == 0 ? "" : base::format(", {} of them unusable (see graft cache verify)", unusable));
  }
  json object() const { return {{"entries", entries}, {"bytes", bytes}, {"unusable", unusable}}; }
};
using Sums = std::map<std::string, Sum>;

json object_of(const Sums& sums) {
  json object = json::object();
  for (const auto& [word, sum] : sums) object[word] = sum.object();
  return object;
}

// The counts by folder include every entry. The counts by architecture and by route include only entries that can be
// read, because the report inside an entry names its architecture and route.
struct Statistics {
  Sums folders;
  Sums architectures;
  Sums routes;
};

Statistics count(const std::vector<store::EntryInfo>& entries) {
  Statistics result;
  for (const store::EntryInfo& info : entries) {
    result.folders[info.file.parent_path().parent_path().string()].add(info);
    if (!info.entry) continue;
    result.architectures[info.entry->report.kernel.architecture.sm()].add(info);
    result.routes[std::string(name(info.entry->report.kernel.route))].add(info);
  }
  return result;
}

// "120 hits (3 in layers), 1 miss, 99 % hits". A count that has reached its bound may be larger: "262144 or more hits".
std::string text_on(const store::DayOfUses& uses) {
  const auto counted = [](std::uint64_t count, const char* one, const char* several) {
    return base::format("{}{} {}", count, count >= store::kMostUses ? " or more" : "", count == 1 ? one : several);
  };
  const std::uint64_t hits = uses.hits + uses.layer_hits;
  const double share = 100 * static_cast<double>(hits) / static_cast<double>(hits + uses.misses);
  return base::format("{}{}, {}, {:.0f} % hits", counted(hits, "hit", "hits"),
                      uses.layer_hits == 0 ? "" : base::format(" ({} in layers)", uses.layer_hits),
                      counted(uses.misses, "miss", "misses"), share);
}

// The sum of all days comes first.
std::string text_on(const std::vector<store::DayOfUses>& days) {
  if (days.empty()) return "no lookups are recorded\n";
  store::DayOfUses sum;
  std::string lines;
  for (const store::DayOfUses& uses : days) {
    sum.hits += uses.hits;
    sum.layer_hits += uses.layer_hits;
    sum.misses += uses.misses;
    lines += base::format("  {}: {}\n", uses.day, text_on(uses));
  }
  return base::format("lookups of the last {} days: {}\n{}", store::kDaysOfUses, text_on(sum), lines);
}

json object_of(const std::vector<store::DayOfUses>& days) {
  json list = json::array();
  for (const store::DayOfUses& uses : days)
    list.push_back({{"day", uses.day}, {"hits", uses.hits}, {"layer_hits", uses.layer_hits}, {"misses", uses.misses}});
  return list;
}

std::string text_on(const store::Settings& place, Statistics& counted, const store::Temporaries& temporaries) {
  std::string text;
  for (const std::filesystem::path& layer : place.layers)
    text += base::format("layer {}: {}\n", printable(layer.string()), counted.folders[layer.string()].text());
  if (!place.folder.empty())
    text += base::format("folder {}: {}, limit {}\n  temporary files: {}, {}\n", printable(place.folder.string()),
                         counted.folders[place.folder.string()].text(), size_text(place.limit), temporaries.files,
                         size_text(temporaries.bytes));
  for (const auto& [architecture, sum] : counted.architectures)
    text += base::format("{}: {}\n", architecture, sum.text());
  for (const auto& [route, sum] : counted.routes) text += base::format("route {}: {}\n", route, sum.text());
  return text;
}

json object_of(const store::Settings& place, Statistics& counted, const store::Temporaries& temporaries) {
  json folders = json::array();
  const auto add = [&](const std::filesystem::path& path, bool is_layer) {
    json folder = counted.folders[path.string()].object();
    folder["path"] = path.string();
    folder["layer"] = is_layer;
    folders.push_back(std::move(folder));
  };
  for (const std::filesystem::path& layer : place.layers) add(layer, true);
  if (!place.folder.empty()) add(place.folder, false);
  return {{"folders", folders},
          {"limit_bytes", place.limit},
          {"temporary_files", temporaries.files},
          {"temporary_bytes", temporaries.bytes},
          {"architectures", object_of(counted.architectures)},
          {"routes", object_of(counted.routes)}};
}

void statistics(bool as_json) {
  const store::Store store(cache_place());
  std::vector<std::string> problems;
  Statistics counted = count(read_entries(store, problems));
  const store::Temporaries temporaries = store::count_temporaries(store);
  const std::vector<store::DayOfUses> days = store::read_uses(store);
  if (as_json) {
    json object = object_of(store.settings(), counted, temporaries);
    object["lookups"] = object_of(days);
    object["problems"] = problems;
    print_json(object);
  } else {
    print(text_on(store.settings(), counted, temporaries) + text_on(days));
  }
  fail_if_any(problems);
}

}  // namespace

void add_cache_stats(CLI::App& cache) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* const command =
      cache.add_subcommand("stats", "Count the cached kernels and their bytes, and the hits and misses of each day");
  command->add_flag("--json", *as_json, "Print the result as JSON");
  command->callback([as_json] { statistics(*as_json); });
}

}  // namespace graft::cli
