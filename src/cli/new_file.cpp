#include "cli/new_file.hpp"

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

#include "base/files.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "cli/output_target.hpp"
#include "cli/spawn.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;
using Parts = std::initializer_list<std::span<const std::byte>>;

constexpr std::size_t kPiece = std::size_t{1} << 20;  // written by one call
constexpr int kMostNames = 100;                       // tried for one temporary file

// Calls to the system, each of which a test may make fail. Throws std::system_error.
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
  // A file system of the network may find its disk full when a descriptor is closed, and not before. A duplicate is
  // closed, because the file itself must stay locked.
  const int duplicate = system("dup", [&] { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); });
  system("close", [&] { return ::close(duplicate); });
}

// ---- temporary files ----

// Of one target, whose name may be as long as a name can be.
std::string temporary_prefix(const std::string& name) {
  return ".graft-" + base::hash(name).hex() + '-';
}

std::string temporary_name(const System& system, const std::string& name) {
  std::uint64_t number = 0;
  system("getrandom", [&] { return ::getrandom(&number, sizeof number, 0) == sizeof number ? 0 : -1; });
  return base::format("{}{:016x}.tmp", temporary_prefix(name), number);
}

// Removes the temporary files that killed runs left beside the target: those that nobody has locked. What cannot be
// removed is no obstacle.
void remove_leftovers(const System& system, const OutputTarget& target) {
  const std::string prefix = temporary_prefix(target.name);
  std::error_code error;
  for (fs::directory_iterator one(target.folder, error), end; !error && one != end; one.increment(error)) {
    if (!one->path().filename().native().starts_with(prefix)) continue;
    try {
      constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
      const Descriptor file(system("open", [&] { return ::open(one->path().c_str(), kFlags); }), "open");
      system("flock", [&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); });
      system("unlink", [&] { return ::unlink(one->path().c_str()); });
    } catch (const std::system_error&) {  // in use, or not this user's
      continue;
    }
  }
}

// False where a run that removes leftovers took the file for one, before it was locked.
bool lock(const System& system, int file) {
  try {
    system("flock", [&] { return ::flock(file, LOCK_EX | LOCK_NB); });
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::operation_would_block) return false;
    return true;  // no locks here: then nobody takes one to remove the file either
  }
  struct stat status {};
  system("fstat", [&] { return ::fstat(file, &status); });
  return status.st_nlink != 0;
}

// A new file beside the target until publish() gives it the target's name; the destructor discards what was not.
class Temporary {
 public:
  Temporary(const System& system, const OutputTarget& target, mode_t mode) : Temporary(system, target) {
    for (int i = 0; i < kMostNames; ++i) {
      path_ = target.folder / temporary_name(system, target.name);
      try {
        constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        file_ = Descriptor(system("create", [&] { return ::open(path_.c_str(), kFlags, mode); }), "open");
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
  Temporary(const Temporary&) = delete;  // one owner of the name
  Temporary& operator=(const Temporary&) = delete;

  int file() const noexcept { return file_.get(); }
  void publish() {
    system_("rename", [&] { return ::rename(path_.c_str(), target_.path().c_str()); });
    is_ours_ = false;
  }

 private:
  // From here on the destructor runs, whatever the other constructor throws.
  Temporary(const System& system, const OutputTarget& target) : system_(system), target_(target) {}

  const System& system_;
  const OutputTarget& target_;
  fs::path path_;
  Descriptor file_;
  bool is_ours_ = false;
};

// ---- what a name can stand for ----

// Nothing where there is no file yet.
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

// Owner and mode of the file that is replaced. Where the group cannot be kept, the new group gets the rights of others.
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
    mode &= 0777u;  // what runs as its owner must not run as another
    if (!give_to(kKeep)) mode = (mode & ~070u) | (mode & 07u) << 3;
  }
  system("chmod", [&] { return ::fchmod(file, mode); });
}

void replace(const System& system, const OutputTarget& target, Parts parts) {
  const std::optional<struct stat> old = state_of(system, target);
  if (old) system("access", [&] { return ::faccessat(AT_FDCWD, target.path().c_str(), W_OK, AT_EACCESS); });
  remove_leftovers(system, target);
  constexpr mode_t kOwnerAlone = 0600;  // until the old file's mode is known to fit
  constexpr mode_t kUmasks = 0666;
  Temporary temporary(system, target, old ? kOwnerAlone : kUmasks);
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
  const Descriptor file(system("open", open), "open");
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
         "Check that its folder exists, has room, and may be written.");
  }
}

}  // namespace graft::cli
