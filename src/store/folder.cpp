// Opens the cache's folder first, and then the version folder ("v3") relative to the open cache folder. So the folders
// that were checked are the folders that are used, even if another process renames them in between.
#include "store/folder.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <random>
#include <utility>

#include "base/format.hpp"
#include "format/cache_entry.hpp"
#include "store/place.hpp"

namespace graft::store {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kOthersMayWrite = 022;
constexpr const char* kWritable = "can be written by other users";

// Returns why the open folder must not be used. Empty when it may be used.
std::string objection(Disk& disk, const File& folder, Access access) {
  FileState state;
  if (const int error = uninterrupted([&] { return disk.state(folder.get(), state); }); error < 0)
    return "cannot be examined: " + words_for(error);
  std::string why = objection_to(state, disk, access);
  if (why == kWritable)
    why += base::format(" (its mode is {:04o}; `chmod go-w` takes this right from them)", state.mode & 07777u);
  return why;
}

// Says why the folder `path` could not be opened. Detects a symbolic link itself, because the system reports a symbolic
// link as "Too many levels of symbolic links" or "Not a directory".
std::string words_for_open(Disk& disk, const fs::path& path, int error) {
  FileState state;
  const int found = disk.state_of(kNoFolder, path.c_str(), state);
  if ((error == -ELOOP || error == -ENOTDIR) && found == 0 && !state.is_folder && !state.is_file)
    return "is a symbolic link";
  return base::format("cannot be opened: {}", words_for(error));
}

// Makes all missing folders of the path. Ignores failures, because the caller then opens the last folder of the path
// and reports why it cannot be opened.
void make_parents(Disk& disk, const fs::path& path) {
  fs::path part;
  for (const fs::path& name : path) {
    part /= name;
    if (part != part.root_path()) uninterrupted([&] { return disk.make_folder(kNoFolder, part.c_str()); });
  }
}

template <class Open>
File open_with(Disk& disk, Open open) {
  return {disk, uninterrupted(open)};
}

}  // namespace

std::string version_folder() {
  return base::format("v{}", format::kCacheEntryVersion);
}

std::string unique_name(std::string_view entry, const char* suffix) {
  static std::atomic<std::uint64_t> counter{0};
  static const std::uint64_t salt = std::uint64_t{std::random_device()()} << 32 | std::random_device()();
  return base::format("{}.{:x}-{:x}-{:x}{}", entry.substr(0, entry.find('.')), ::getpid(), ++counter, salt, suffix);
}

std::string objection_to(const FileState& state, Disk& disk, Access access) {
  if (state.owner != disk.user() && !(access == Access::Layer && state.owner == 0)) return "belongs to another user";
  return (state.mode & kOthersMayWrite) != 0 ? kWritable : "";
}

Folder open_folder(Disk& disk, const fs::path& given, Access access, const std::string& name) {
  // Removes a trailing slash, because the system would follow a symbolic link that has a slash behind its name.
  const fs::path path = without_trailing_slash(given);
  const auto refuse = [](const fs::path& what, const std::string& why) {
    return Folder{{}, base::format("{} {}", what.string(), why)};
  };
  const auto open_top = [&] { return disk.open_folder(kNoFolder, path.c_str()); };
  File top = open_with(disk, open_top);
  if (top.error() == -ENOENT && access == Access::Make) {
    make_parents(disk, path);
    top = open_with(disk, open_top);
  }
  if (top.error() == -ENOENT && access != Access::Make) return {};
  if (!top.is_open()) return refuse(path, words_for_open(disk, path, top.error()));
  if (const std::string why = objection(disk, top, access); !why.empty()) return refuse(path, why);

  const auto open_below = [&] { return disk.open_folder(top.get(), name.c_str()); };
  File versioned = open_with(disk, open_below);
  if (versioned.error() == -ENOENT && access == Access::Make) {
    const int made = uninterrupted([&] { return disk.make_folder(top.get(), name.c_str()); });
    if (made < 0 && made != -EEXIST) return refuse(path, "cannot be written: " + words_for(made));
    versioned = open_with(disk, open_below);
  }
  if (versioned.error() == -ENOENT && access != Access::Make) return {};
  if (!versioned.is_open()) return refuse(path / name, words_for_open(disk, path / name, versioned.error()));
  if (const std::string why = objection(disk, versioned, access); !why.empty()) return refuse(path / name, why);
  return {std::move(versioned), {}};
}

}  // namespace graft::store
