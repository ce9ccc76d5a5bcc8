// Writes a file so that it appears whole or not at all (new_file.hpp says how). From top to bottom, this file holds
// calls to the system that tests can make fail, temporary files and their locks, the mode and owner of a replaced file,
// and the two ways to write: replace() for regular files, write_through() for devices, FIFOs and open descriptors.
#include "cli/output/new_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "cli/output/output_target.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;
using Parts = std::initializer_list<std::span<const std::byte>>;

constexpr std::size_t kPiece = std::size_t{1} << 20;  // the most bytes written by one call
constexpr int kMostNames = 100;                       // the most random names tried for one temporary file

// Makes system calls. A test can make each system call fail (BeforeCall). Throws std::system_error if a call fails.
class System {
 public:
  explicit System(const BeforeCall& before) : before_(before) {}

  template <class Call>
  auto operator()(std::string_view name, const Call& call) const {
    const int refusal = before_ ? before_(name) : 0;
    const auto result = refusal == 0 ? call() : -1;
    if (result >= 0) return result;
    throw std::system_error(refusal != 0 ? refusal : errno, std::generic_category());
  }

 private:
  const BeforeCall& before_;
};

void write_parts(const System& system, int file, Parts parts) {
  for (std::span<const std::byte> part : parts)
    while (!part.empty()) {
      const auto piece = part.first(std::min(part.size(), kPiece));
      system("write", [&] { return base::write_all(file, piece) ? 0 : -1; });
      part = part.subspan(piece.size());
    }
  // A network file system may report a full disk only when a descriptor is closed. Close a duplicate of the descriptor
  // here, because closing the last descriptor would unlock the file.
  const int duplicate = system("dup", [&] { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); });
  system("close", [&] { return ::close(duplicate); });
}

// ---- temporary files ----

// The prefix of all temporary files of one target. The prefix contains a hash of the target's name, because the name
// itself may already have the greatest length that the file system allows.
std::string temporary_prefix(const std::string& name) {
  return ".graft-" + base::hash(name).hex() + '-';
}

std::string temporary_name(const System& system, const std::string& name) {
  std::uint64_t number = 0;
  system("getrandom", [&] { return ::getrandom(&number, sizeof number, 0) == sizeof number ? 0 : -1; });
  return base::format("{}{:016x}.tmp", temporary_prefix(name), number);
}

// Owns the descriptor of a file that graft writes. If graft was started without standard error, the file must not get
// the number of that stream, because whatever a library prints would then go into the file.
base::Descriptor own(int file) {
  return base::above_standard_streams(base::Descriptor(file));
}

// Removes the temporary files that killed runs left in the target's folder. A file is such a leftover if no process has
// it locked. Ignores a file that cannot be removed.
void remove_leftovers(const System& system, const OutputTarget& target) {
  const std::string prefix = temporary_prefix(target.name);
  std::error_code error;
  for (fs::directory_iterator one(target.folder, error), end; !error && one != end; one.increment(error)) {
    if (!one->path().filename().native().starts_with(prefix)) continue;
    try {
      constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
      const base::Descriptor file = own(system("open", [&] { return ::open(one->path().c_str(), kFlags); }));
      system("flock", [&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); });
      system("unlink", [&] { return ::unlink(one->path().c_str()); });
    } catch (const std::system_error&) {  // the file is in use, or belongs to another user
      continue;
    }
  }
}

// Locks a new temporary file. Returns false if another run of graft took the file for a leftover before this run locked
// it. The other run has then removed the file or is about to remove it.
bool lock(const System& system, int file) {
  try {
    system("flock", [&] { return ::flock(file, LOCK_EX | LOCK_NB); });
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::operation_would_block) return false;
    return true;  // the file system has no locks, so other runs cannot lock the file either and do not remove it
  }
  struct stat status {};
  system("fstat", [&] { return ::fstat(file, &status); });
  return status.st_nlink != 0;
}

// A new file in the target's folder. publish() renames the file to the target's name. If publish() was not called, the
// destructor removes the file.
class Temporary {
 public:
  Temporary(const System& system, const OutputTarget& target, mode_t mode) : Temporary(system, target) {
    for (int i = 0; i < kMostNames; ++i) {
      path_ = target.folder / temporary_name(system, target.name);
      try {
        constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        file_ = own(system("create", [&] { return ::open(path_.c_str(), kFlags, mode); }));
      } catch (const std::system_error& error) {
        if (error.code() == std::errc::file_exists) continue;
        throw;
      }
      is_ours_ = true;
      if (lock(system, file_.get())) return;
    }
    throw std::system_error(EEXIST, std::generic_category());
  }
  ~Temporary() {
    if (is_ours_) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;  // exactly one object owns the file's name
  Temporary& operator=(const Temporary&) = delete;

  int file() const noexcept { return file_.get(); }
  void publish() {
    system_("rename", [&] { return ::rename(path_.c_str(), target_.path().c_str()); });
    is_ours_ = false;
  }

 private:
  // The public constructor delegates to this constructor. Once this constructor is done, the destructor runs even if
  // the public constructor throws.
  Temporary(const System& system, const OutputTarget& target) : system_(system), target_(target) {}

  const System& system_;
  const OutputTarget& target_;
  fs::path path_;
  base::Descriptor file_;
  bool is_ours_ = false;
};

// ---- replacing a file, or writing to what cannot be replaced ----

// Returns the target's status, or nothing if the target does not exist yet.
std::optional<struct stat> state_of(const System& system, const OutputTarget& target) {
  struct stat status {};
  try {
    system("stat", [&] { return ::lstat(target.path().c_str(), &status); });
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) return std::nullopt;
    throw;
  }
  return status;
}

// Gives the new file the owner, group and mode of the file that it replaces, as far as the system allows this user. If
// this user may not set the old file's group, the new file keeps a group whose members may not belong to the old file's
// group. So this group gets only the rights that the old file gave to all other users.
void take_over(const System& system, const struct stat& old, int file) {
  const auto give_to = [&](uid_t user) {
    try {
      system("chown", [&] { return ::fchown(file, user, old.st_gid); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  };
  constexpr auto kKeep = static_cast<uid_t>(-1);
  mode_t mode = old.st_mode & 07777u;
  if (!give_to(old.st_uid)) {
    mode &= 0777u;  // drop setuid and setgid: the program must not run as a different user than before
    if (!give_to(kKeep)) mode = (mode & ~070u) | (mode & 07u) << 3;
  }
  system("chmod", [&] { return ::fchmod(file, mode); });
}

void replace(const System& system, const OutputTarget& target, Parts parts) {
  const std::optional<struct stat> old = state_of(system, target);
  if (old) system("access", [&] { return ::faccessat(AT_FDCWD, target.path().c_str(), W_OK, AT_EACCESS); });
  remove_leftovers(system, target);
  constexpr mode_t kOwnerAlone = 0600;     // used until take_over() sets the old file's mode
  constexpr mode_t kModeOfNewFile = 0666;  // the system removes the bits of the umask
  Temporary temporary(system, target, old ? kOwnerAlone : kModeOfNewFile);
  write_parts(system, temporary.file(), parts);
  if (old) take_over(system, *old, temporary.file());
  temporary.publish();
}

void write_through(const System& system, const OutputTarget& target, Parts parts) {
  const auto open = [&] {
    return target.kind == OutputTarget::Kind::Descriptor
               ? ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
               : ::open(target.path().c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  };
  const base::Descriptor file = own(system("open", open));
  write_parts(system, file.get(), parts);
}

}  // namespace

void write_new_file(const fs::path& path, Parts parts, const BeforeCall& before) {
  std::string where = path.string();
  try {
    const OutputTarget target = find_output_target(path);
    if (target.name != path.filename()) where += base::format(" (that is {})", target.path().string());
    if (target.kind == OutputTarget::Kind::File) replace(System(before), target, parts);
    else write_through(System(before), target, parts);
  } catch (const std::system_error& error) {
    fail(ErrorCode::FileUnreadable, base::format("{}: it cannot be written: {}", where, error.code().message()),
         "Check that the file's folder exists, has free space, and is writable for this user.");
  }
}

}  // namespace graft::cli
