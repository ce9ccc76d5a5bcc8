// Resolves a path by hand, one link at a time. std::filesystem::canonical cannot resolve an output path: the target
// need not exist, and /dev/stdout leads to /proc/<pid>/fd/1, whose link text is not a usable path when the descriptor
// is a pipe.
#include "cli/output/output_target.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace graft::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the Linux kernel's own limit for one path

[[noreturn]] void fail_by(int error) {
  throw std::system_error(error, std::generic_category());
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Returns whether the folder is /proc/<pid>/fd or /proc/<pid>/task/<tid>/fd of this process. The links in such a folder
// cannot be followed by name: a pipe has no name, and an open file may have been deleted.
bool holds_own_descriptors(const fs::path& folder) {
  const std::string own = "/proc/" + std::to_string(::getpid()) + '/';
  const std::string& text = folder.native();
  if (!text.starts_with(own) || !text.ends_with("/fd")) return false;
  const std::string_view between = std::string_view(text).substr(own.size() - 1, text.size() - own.size() - 2);
  return between.empty() || (between.starts_with("/task/") && number(between.substr(6)));
}

bool is_in_proc(const fs::path& folder) {
  return folder.native().starts_with("/proc/");
}

fs::path target_of_link(const fs::path& link) {
  std::error_code error;
  fs::path target = fs::read_symlink(link, error);
  if (error) fail_by(error.value());
  return target;
}

OutputTarget of_kind(OutputTarget::Kind kind, const fs::path& folder, const fs::path& name) {
  return {kind, folder, name.string(), -1};
}

}  // namespace

OutputTarget find_output_target(const fs::path& path) {
  fs::path at = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : fs::path("."), error);
    if (error) fail_by(error.value());
    const fs::path name = at.filename();
    if (name.empty() && at.empty()) fail_by(ENOENT);
    if (name.empty() || name == "." || name == "..") fail_by(EISDIR);
    if (holds_own_descriptors(folder))
      if (const std::optional<int> descriptor = number(name.native()))
        return {OutputTarget::Kind::Descriptor, folder, name.string(), *descriptor};

    struct stat status {};
    at = folder / name;
    if (::lstat(at.c_str(), &status) != 0) {
      if (errno != ENOENT) fail_by(errno);
      return of_kind(OutputTarget::Kind::File, folder, name);
    }
    if (S_ISDIR(status.st_mode)) fail_by(EISDIR);
    if (S_ISREG(status.st_mode)) return of_kind(OutputTarget::Kind::File, folder, name);
    // A link in /proc of another process stands for an open file of that process: open the link itself, do not follow
    // it by name.
    if (!S_ISLNK(status.st_mode) || is_in_proc(folder)) return of_kind(OutputTarget::Kind::Special, folder, name);
    at = folder / target_of_link(at);  // operator/ drops the folder if the target is absolute
  }
  fail_by(ELOOP);
}

bool is_standard_output(const fs::path& path) {
  try {
    return find_output_target(path).descriptor == STDOUT_FILENO;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace graft::cli
