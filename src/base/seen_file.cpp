// Finds out a file's kind with stat. Reads the content and the state of a regular file through one descriptor, so that
// both belong to the same file. Other kinds of files are not read.
#include "base/seen_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "base/read_file.hpp"

namespace graft::base {
namespace {

FileIdentity identity_of(const struct stat& state) {
  return {state.st_dev, state.st_ino};
}

SeenFile unusable(std::string problem) {
  SeenFile file;
  file.kind = SeenFile::Kind::Unusable;
  file.problem = std::move(problem);
  return file;
}

SeenFile failed(int error) {
  if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) return {};
  return unusable(base::format("cannot be read ({})", std::generic_category().message(error)));
}

const char* kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "is a FIFO";
  if (S_ISSOCK(mode)) return "is a socket";
  return "is a device";
}

// Returns the state as a SeenFile. A folder is Missing, and any other file that is not a regular file is Unusable.
SeenFile state_of(const struct stat& state) {
  if (S_ISDIR(state.st_mode)) return {};
  SeenFile file;
  if (!S_ISREG(state.st_mode)) {
    file = unusable(kind_of(state.st_mode));
    file.is_endless = S_ISFIFO(state.st_mode);
    return file;
  }
  file.kind = SeenFile::Kind::Readable;
  file.identity = identity_of(state);
  file.size = static_cast<std::uint64_t>(state.st_size);
  return file;
}

// Appends the rest of the file to `text`. Returns 0 or an errno. The errno is EFBIG if the file has more than `largest`
// bytes.
int read_all(int descriptor, std::uint64_t largest, std::string& text) {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count == 0) return 0;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > largest) return EFBIG;
  }
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : std::string();
}

void note_folders(const std::string& path, SeenFile& file) {
  file.folder = folder_identity(folder_of(path));
  char target;
  // readlink fails if the path is not a symbolic link.
  if (::readlink(path.c_str(), &target, 1) < 0) return;
  const std::string real = resolved(path);
  if (real.empty() || folder_identity(folder_of(real)) == file.folder) return;
  file.linked_folder = folder_of(real);
}

}  // namespace

SeenFile see_file(const std::string& path) {
  struct stat state = {};
  if (::stat(path.c_str(), &state) != 0) return failed(errno);
  SeenFile file = state_of(state);
  if (file.kind == SeenFile::Kind::Readable) note_folders(path, file);
  return file;
}

SeenFile read_seen_file(const std::string& path, std::uint64_t largest) {
  struct stat state = {};
  if (::stat(path.c_str(), &state) != 0) return failed(errno);
  // Checks the file's kind before opening the file, because opening a device can already have an effect.
  if (SeenFile file = state_of(state); file.kind != SeenFile::Kind::Readable) return file;
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor.is_open()) return failed(errno);
  if (::fstat(descriptor.get(), &state) != 0) return failed(errno);
  SeenFile file = state_of(state);
  if (file.kind != SeenFile::Kind::Readable) return file;
  const int error = file.size > largest ? EFBIG : read_all(descriptor.get(), largest, file.text);
  if (error == EFBIG) {
    const bool is_endless = file.size > kGibibyte;
    file = unusable(base::format("has more than {} bytes", largest));
    file.is_endless = is_endless;
    return file;
  }
  if (error != 0) return failed(error);
  note_folders(path, file);
  return file;
}

FileIdentity folder_identity(const std::string& path) {
  struct stat state = {};
  return ::stat(path.c_str(), &state) == 0 && S_ISDIR(state.st_mode) ? identity_of(state) : FileIdentity();
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string working_folder() {
  char buffer[PATH_MAX];
  const char* const folder = ::getcwd(buffer, sizeof buffer);
  // When the working folder is outside the process's root folder, Linux returns "(unreachable)/...".
  return folder != nullptr && *folder == '/' ? std::string(folder) : std::string();
}

}  // namespace graft::base
