#include "store/uses.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <string_view>
#include <utility>

#include "store/file.hpp"
#include "store/folder.hpp"

namespace graft::store {
namespace {

constexpr std::size_t kDayLength = std::string_view("2026-11-23").size();
constexpr std::array kUseSuffixes = {std::pair{Use::Hit, std::string_view(".hits")},
                                     std::pair{Use::LayerHit, std::string_view(".layer-hits")},
                                     std::pair{Use::Miss, std::string_view(".misses")}};

std::string day_of(std::chrono::system_clock::time_point time) {
  const std::time_t whole = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

// The first of the days whose counts are kept. Days compare like their texts.
std::string first_kept_day(Disk& disk) {
  return day_of(disk.now() - std::chrono::hours(24) * (kDaysOfUses - 1));
}

std::string use_name(const std::string& day, Use use) {
  const auto* const found = std::ranges::find(kUseSuffixes, use, [](const auto& one) { return one.first; });
  return day + std::string(found->second);
}

bool is_day(std::string_view text) {
  if (text.size() != kDayLength) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return true;
}

// Returns what the file `name` counts. Returns nothing for other files.
std::optional<Use> use_of(std::string_view name) {
  if (!is_day(name.substr(0, kDayLength))) return std::nullopt;
  for (const auto& [use, suffix] : kUseSuffixes)
    if (name.substr(kDayLength) == suffix) return use;
  return std::nullopt;
}

std::vector<std::string> use_names(Disk& disk, const Folder& folder) {
  std::vector<std::string> names;
  if (uninterrupted([&] { return disk.list(folder.versioned.get(), names); }) < 0) return {};
  std::erase_if(names, [](const std::string& name) { return !use_of(name); });
  return names;
}

// Removes the counts of the days before `day`. Ignores files that cannot be removed.
void remove_before(Disk& disk, const Folder& folder, const std::string& day) {
  for (const std::string& name : use_names(disk, folder))
    if (name < day) uninterrupted([&] { return disk.remove(folder.versioned.get(), name.c_str()); });
}

// Returns the size of a file of counts, or 0 if the file must not be believed.
std::uint64_t size_of(Disk& disk, const Folder& folder, const std::string& name) {
  FileState state;
  if (uninterrupted([&] { return disk.state_of(folder.versioned.get(), name.c_str(), state); }) < 0) return 0;
  const bool is_ours = state.is_file && objection_to(state, disk, Access::Own).empty();
  return is_ours ? std::min(state.size, kMostUses) : 0;
}

}  // namespace

void count_use(const Store& store, Use use) {
  if (!store.settings().is_writable || store.settings().folder.empty()) return;
  Disk& disk = store.disk();
  const Folder folder = open_folder(disk, store.settings().folder, Access::Own);
  if (!folder.is_open()) return;
  const std::string name = use_name(day_of(disk.now()), use);
  const File file(disk, uninterrupted([&] { return disk.open_to_append(folder.versioned.get(), name.c_str()); }));
  FileState state;
  if (!file.is_open() || uninterrupted([&] { return disk.state(file.get(), state); }) < 0) return;
  if (!state.is_file || !objection_to(state, disk, Access::Own).empty() || state.size >= kMostUses) return;
  uninterrupted([&] { return static_cast<int>(disk.write(file.get(), "+", 1)); });
  if (state.size == 0) remove_before(disk, folder, first_kept_day(disk));
}

std::vector<DayOfUses> read_uses(const Store& store) {
  if (store.settings().folder.empty()) return {};
  Disk& disk = store.disk();
  const Folder folder = open_folder(disk, store.settings().folder, Access::Own);
  if (!folder.is_open()) return {};
  const std::string first = first_kept_day(disk);
  const std::string last = day_of(disk.now());
  std::map<std::string, DayOfUses> days;
  for (const std::string& name : use_names(disk, folder)) {
    const std::string day = name.substr(0, kDayLength);
    const std::uint64_t count = size_of(disk, folder, name);
    if (day < first || day > last || count == 0) continue;
    DayOfUses& uses = days[day];
    uses.day = day;
    const Use use = *use_of(name);
    (use == Use::Hit ? uses.hits : use == Use::LayerHit ? uses.layer_hits : uses.misses) = count;
  }
  std::vector<DayOfUses> result;
  for (auto& [day, uses] : days) result.push_back(std::move(uses));
  return result;
}

void remove_uses(const Store& store) {
  if (!store.settings().is_writable || store.settings().folder.empty()) return;
  const Folder folder = open_folder(store.disk(), store.settings().folder, Access::Own);
  if (folder.is_open()) remove_before(store.disk(), folder, "9999-99-99.z");
}

}  // namespace graft::store
