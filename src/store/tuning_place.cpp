#include "store/tuning_place.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"

namespace graft::store {
namespace {

namespace fs = std::filesystem;

// Reads the file in one folder of the cache. Returns whether there is one, also if it cannot be used.
bool find_tuning_in(const fs::path& path, Access access, const std::string& name, Disk& disk, TuningText& found) {
  const Folder folder = open_folder(disk, path, access, kTuningFolder);
  if (!folder.is_open()) {
    if (found.problem.empty()) found.problem = folder.problem;
    return !folder.problem.empty();
  }
  FileRead read = read_entry_file(disk, folder, name, access);
  if (read.error == -ENOENT) return false;
  const fs::path file = path / kTuningFolder / name;
  if (!read.flaw.empty()) {
    found.problem = base::format("{} {}", file.string(), read.flaw);
  } else if (read.error < 0) {
    found.problem = base::format("{} cannot be read: {}", file.string(), words_for(read.error));
  } else {
    found.text = base::as_text(read.bytes);
    found.path = file;
    if (found.text.empty()) found.problem = base::format("{} is empty", file.string());
  }
  return true;
}

void list_tunings_in(const fs::path& path, Access access, Disk& disk, TuningNames& found) {
  const Folder folder = open_folder(disk, path, access, kTuningFolder);
  if (!folder.is_open()) {
    if (!folder.problem.empty()) found.problems.push_back(folder.problem);
    return;
  }
  std::vector<std::string> names;
  if (const int error = uninterrupted([&] { return disk.list(folder.versioned.get(), names); }); error < 0) {
    found.problems.push_back(
        base::format("{} cannot be listed: {}", (path / kTuningFolder).string(), words_for(error)));
    return;
  }
  const auto is_tuning = [](const std::string& name) { return name.ends_with(".json"); };
  std::ranges::copy_if(names, std::back_inserter(found.names), is_tuning);
}

}  // namespace

TuningText find_tuning(const Settings& settings, const std::string& name, Disk& disk) {
  TuningText found;
  if (!settings.folder.empty() && find_tuning_in(settings.folder, Access::Own, name, disk, found) &&
      !found.text.empty())
    return found;
  for (const fs::path& layer : settings.layers)
    if (find_tuning_in(layer, Access::Layer, name, disk, found) && !found.text.empty()) return found;
  return found;
}

TuningNames list_tunings(const Settings& settings, Disk& disk) {
  TuningNames found;
  if (!settings.folder.empty()) list_tunings_in(settings.folder, Access::Own, disk, found);
  for (const fs::path& layer : settings.layers) list_tunings_in(layer, Access::Layer, disk, found);
  std::ranges::sort(found.names);
  found.names.erase(std::unique(found.names.begin(), found.names.end()), found.names.end());
  return found;
}

std::string put_tuning(const fs::path& path, const std::string& name, std::string_view text, Disk& disk) {
  const Folder folder = open_folder(disk, path, Access::Make, kTuningFolder);
  if (!folder.is_open()) return folder.problem;
  const int at = folder.versioned.get();
  const std::string temporary = unique_name(name, kTemporarySuffix);
  int error = 0;
  {
    File file(disk, uninterrupted([&] { return disk.create(at, temporary.c_str()); }));
    error = file.error();
    if (error == 0) error = write_whole(disk, file, base::as_bytes(text));
    const int closed = file.close();
    if (error == 0 && closed != -EINTR) error = closed;  // with EINTR, the file is closed already
  }
  if (error == 0) error = uninterrupted([&] { return disk.rename(at, temporary.c_str(), name.c_str()); });
  if (error == 0) return {};
  uninterrupted([&] { return disk.remove(at, temporary.c_str()); });
  return base::format("cannot write {}: {}", (path / kTuningFolder / name).string(), words_for(error));
}

}  // namespace graft::store
