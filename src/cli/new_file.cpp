#include "cli/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/files.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

// Under a temporary name in the same folder until commit() publishes it; the destructor discards what was not.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : path_(path),
        temporary_(fmt::format("{}.{}.tmp", path.string(), ::getpid())),
        fd_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)),
        is_ours_(fd_ >= 0) {}
  ~NewFile() {
    if (fd_ >= 0) ::close(fd_);
    if (is_ours_) ::unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;  // one owner of the temporary name
  NewFile& operator=(const NewFile&) = delete;

  // False with errno when it cannot be done.
  bool write(std::span<const std::byte> bytes) { return fd_ >= 0 && base::write_all(fd_, bytes); }
  bool commit() {
    if (fd_ < 0 || ::close(std::exchange(fd_, -1)) != 0) return false;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return false;
    is_ours_ = false;
    return true;
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int fd_;
  bool is_ours_;  // the file of the temporary name
};

[[noreturn]] void fail_by_errno(const std::filesystem::path& path) {
  fail(ErrorCode::FileUnreadable,
       fmt::format("{}: it cannot be written: {}", path.string(), std::generic_category().message(errno)),
       "Check that its folder exists, has room, and may be written.");
}

}  // namespace

void write_new_file(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts) {
  NewFile file(path);
  for (const std::span<const std::byte> part : parts)
    if (!file.write(part)) fail_by_errno(path);
  if (!file.commit()) fail_by_errno(path);
}

}  // namespace graft::cli
