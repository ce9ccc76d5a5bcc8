// objection_to() walks the path component by component. At a symbolic link, it examines the link, and then the path to
// which the link leads; from the root of the file system, if this path is not in the folder `top`.
#include "toolchain/trusted_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <system_error>

#include "base/format.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

// The largest number of symbolic links in a path, as for the system itself (ELOOP).
constexpr int kMostLinks = 40;

bool is_inside(const fs::path& path, const fs::path& top) {
  return std::mismatch(top.begin(), top.end(), path.begin(), path.end()).first == top.end();
}

class Walk {
 public:
  explicit Walk(const Trusted& trusted) : trusted_(trusted) {}

  std::string objection(const fs::path& file, const fs::path& top) {
    fs::path part;
    for (auto name = file.begin(); name != file.end(); ++name) {
      // `part` contains no link, so the folder above it is the one that its text names.
      part = *name == ".." ? part.parent_path() : part / *name;
      struct stat state {};
      if (::lstat(part.c_str(), &state) != 0) return {};
      const auto behind = std::distance(name, file.end()) - 1;
      if (is_inside(part, top))
        if (std::string why = objection_to_one(part, state, behind == 1); !why.empty()) return why;
      if (!S_ISLNK(state.st_mode)) continue;
      return objection_to_target(part, std::accumulate(std::next(name), file.end(), fs::path(), std::divides<>()), top);
    }
    return {};
  }

 private:
  std::string objection_to_one(const fs::path& part, const struct stat& state, bool is_folder_of_file) const {
    if (std::ranges::find(trusted_.users, state.st_uid) == trusted_.users.end())
      return base::format("{} belongs to another user", part.string());
    if (S_ISLNK(state.st_mode)) return {};  // a link's mode has no meaning
    if (S_ISDIR(state.st_mode) && (state.st_mode & S_ISVTX) != 0 && !is_folder_of_file) return {};
    const bool by_group =
        (state.st_mode & S_IWGRP) != 0 && std::ranges::find(trusted_.groups, state.st_gid) == trusted_.groups.end();
    if (by_group || (state.st_mode & S_IWOTH) != 0)
      return base::format("{} can be written by other users", part.string());
    return {};
  }

  // `link` is a symbolic link, and `rest` the part of the path behind it.
  std::string objection_to_target(const fs::path& link, const fs::path& rest, const fs::path& top) {
    if (++links_ > kMostLinks) return base::format("{} leads to too many symbolic links", link.string());
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    if (error) return base::format("{} cannot be read", link.string());
    fs::path next = link.parent_path() / target;
    if (!rest.empty()) next /= rest;
    return objection(next, is_inside(next.lexically_normal(), top) ? top : fs::path("/"));
  }

  const Trusted& trusted_;
  int links_ = 0;
};

}  // namespace

Trusted trusted_beside(const fs::path& own_file) {
  Trusted trusted{.users = {0, ::geteuid()}, .groups = {0, ::getegid()}};
  struct stat state {};
  if (::stat(own_file.c_str(), &state) == 0) {
    trusted.users.push_back(state.st_uid);
    trusted.groups.push_back(state.st_gid);
  }
  return trusted;
}

std::string objection_to(const fs::path& file, const fs::path& top, const Trusted& trusted) {
  return Walk(trusted).objection(file, top);
}

}  // namespace graft::toolchain
