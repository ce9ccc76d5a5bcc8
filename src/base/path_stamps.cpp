// Reads the stamps (inode and change time) of symbolic links with lstat and of folders with stat, and compares the
// stamps in two PathStamps.
#include "base/path_stamps.hpp"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graft::base {
namespace {

std::string target_of(const std::string& link) {
  char buffer[PATH_MAX];
  const ssize_t size = ::readlink(link.c_str(), buffer, sizeof buffer);
  if (size <= 0) return {};
  const std::string target(buffer, static_cast<std::size_t>(size));
  return target.starts_with('/') ? target : folder_of(link) + '/' + target;
}

}  // namespace

// Examines each prefix of the path that ends before a slash, and records the stamp of each prefix that is a symbolic
// link. The path is used as it is spelled and not normalised: ".." after a symbolic link means the parent of the link's
// target, and only the system knows that parent.
void PathStamps::add(const std::string& path, bool with_folder) {
  std::string folder = "/";
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string prefix = path.substr(0, slash);
    if (!exists(prefix)) {
      if (with_folder) add_folder(folder);
      return;
    }
    folder = std::move(prefix);
  }
  exists(path);
  if (with_folder) add_folder(folder);
}

bool PathStamps::exists(const std::string& path) {
  const auto [place, is_new] = looked_at_.try_emplace(path, false);
  if (!is_new) return place->second;
  struct stat state = {};
  if (::lstat(path.c_str(), &state) != 0) return false;
  place->second = true;
  if (S_ISLNK(state.st_mode)) {
    links_[path] = {{state.st_dev, state.st_ino}, {state.st_ctim.tv_sec, state.st_ctim.tv_nsec}};
    if (const std::string target = target_of(path); !target.empty()) add(target, false);
  }
  return true;
}

void PathStamps::add_folder(const std::string& path) {
  const auto [place, is_new] = folders_.try_emplace(path);
  if (!is_new) return;
  struct stat state = {};
  if (::stat(path.c_str(), &state) != 0) return;
  place->second = {{state.st_dev, state.st_ino}, {state.st_ctim.tv_sec, state.st_ctim.tv_nsec}};
  if (place->second.identity == ignored_) folders_.erase(place);
}

std::string PathStamps::difference(const Stamps& now, const Stamps& earlier) {
  for (const auto& [path, stamp] : earlier) {
    const auto found = now.find(path);
    if (found == now.end() || found->second != stamp) return path;
  }
  for (const auto& [path, stamp] : now)
    if (!earlier.contains(path)) return path;
  return {};
}

std::string PathStamps::difference(const PathStamps& earlier) const {
  std::string link = difference(links_, earlier.links_);
  return link.empty() ? difference(folders_, earlier.folders_) : link;
}

std::string PathStamps::link_changed(const FileTime& from, const FileTime& to) const {
  for (const auto& [path, stamp] : links_)
    if (stamp.changed >= from && stamp.changed <= to) return path;
  return {};
}

}  // namespace graft::base
