// TemporaryFolder uses locks to recognise folders that killed processes left behind. The owner of a folder holds an
// flock on the folder, and the system releases the lock when the process ends for any reason. So a folder that has
// graft's prefix and no lock has no owner. Before a process makes a folder, it removes all such folders.
//
// A new folder has no lock between mkdtemp and flock, and another process may remove it in this time. While the other
// process removes the folder, it holds the folder's lock. So the owner takes the lock, checks that its path still names
// the folder that it locked, and otherwise makes another folder.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/environment.hpp"
#include "base/files.hpp"

namespace graft::base {
namespace fs = std::filesystem;
namespace {

// No other program uses this prefix. It is longer than "graft-", the prefix of version 0.1 of graft: the folders of
// that version have no locks even while they are in use, so this version must not take them for its own and remove
// them.
constexpr std::string_view kPrefix = "graft-tmp-";
constexpr std::string_view kRandom = "XXXXXX";

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// The largest number of times that the constructor tries to make a folder. An attempt fails when another process
// removes the new folder between mkdtemp and flock.
constexpr int kMostAttempts = 100;

bool is_ours(const struct stat& state) {
  return S_ISDIR(state.st_mode) && state.st_uid == ::geteuid() && (state.st_mode & 07777u) == 0700u;
}

// Returns the names in a folder, without "." and "..".
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  // closedir closes the descriptor that fdopendir was given, so give fdopendir a second descriptor of the folder.
  const int own = ::openat(folder, ".", kOpenFolder);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
  if (!stream) {
    if (own >= 0) ::close(own);
    return names;
  }
  while (const dirent* const one = ::readdir(stream.get()))
    if (const std::string_view name = one->d_name; name != "." && name != "..") names.emplace_back(name);
  return names;
}

// Removes everything in the folder. A symbolic link is removed, and its target stays.
void remove_content(int folder) {
  for (const std::string& name : names_in(folder)) {
    if (::unlinkat(folder, name.c_str(), 0) == 0) continue;
    const Descriptor below(::openat(folder, name.c_str(), kOpenFolder));
    if (!below.is_open()) continue;
    remove_content(below.get());
    ::unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  }
}

bool lock(int folder, int mode) {
  int result = 0;
  do result = ::flock(folder, mode);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

void remove_if_left(int parent, const std::string& name) {
  struct stat state {};
  if (::fstatat(parent, name.c_str(), &state, AT_SYMLINK_NOFOLLOW) != 0 || !is_ours(state)) return;
  const Descriptor folder(::openat(parent, name.c_str(), kOpenFolder));
  if (!folder.is_open() || ::fstat(folder.get(), &state) != 0 || !is_ours(state)) return;
  // Taking the lock fails if the folder's owner still holds it. In this case, the folder is in use.
  if (!lock(folder.get(), LOCK_EX | LOCK_NB)) return;
  remove_content(folder.get());
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

void remove_left_folders(const fs::path& parent) {
  const Descriptor folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return;
  for (const std::string& name : names_in(folder.get()))
    if (name.starts_with(kPrefix) && name.size() == kPrefix.size() + kRandom.size()) remove_if_left(folder.get(), name);
}

// Returns whether the path still names the open folder. If not, another process has removed the folder.
bool is_in_place(const Descriptor& folder, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(folder.get(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

[[noreturn]] void fail_in(const fs::path& parent, int error) {
  throw fs::filesystem_error("cannot make a temporary folder", parent, std::error_code(error, std::generic_category()));
}

}  // namespace

fs::path TemporaryFolder::parent() {
  const std::string wanted = environment("TMPDIR");
  return wanted.starts_with('/') ? fs::path(wanted) : fs::path("/tmp");
}

TemporaryFolder::TemporaryFolder() {
  const fs::path parent = TemporaryFolder::parent();
  remove_left_folders(parent);
  const std::string pattern = parent / (std::string(kPrefix) + std::string(kRandom));
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    std::string name = pattern;
    // mkdtemp replaces XXXXXX by random characters, and makes the folder with mode 0700.
    if (!::mkdtemp(name.data())) fail_in(parent, errno);
    Descriptor folder(::open(name.c_str(), kOpenFolder));
    if (!folder.is_open() && errno != ENOENT) {
      const int error = errno;
      ::rmdir(name.c_str());
      fail_in(parent, error);
    }
    if (!folder.is_open()) continue;
    // Locking fails on a file system without locks. The folder is safe there all the same, because remove_left_folders
    // removes only folders that it can lock.
    lock(folder.get(), LOCK_EX);
    if (!is_in_place(folder, name)) continue;
    path_ = std::move(name);
    lock_ = std::move(folder);
    return;
  }
  fail_in(parent, EAGAIN);
}

TemporaryFolder::~TemporaryFolder() {
  try {
    remove_content(lock_.get());
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the next TemporaryFolder removes this folder
  }
  ::rmdir(path_.c_str());
}

}  // namespace graft::base
