// Reads regular files and pipes completely, up to a limit. The kind of a file is checked before the file is opened,
// because opening a device can already have an effect. The kind is checked again after opening, because another file
// may have got the same path in the meantime.
#include "base/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/format.hpp"

namespace graft::base {
namespace {

FileContent failed_by(int error) {
  return {ReadFault::Unreadable, std::generic_category().message(error)};
}

// Returns a number of bytes as text, in the largest unit that divides the number: 1024 is "1 KiB", and 1025 is "1025
// bytes".
std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return base::format("{} {}", bytes, kUnits[unit]);
}

FileContent too_large(std::uint64_t limit) {
  return {ReadFault::TooLarge, base::format("it is larger than {}", bytes_text(limit))};
}

// Reads an open file. Until `limit_for` has judged the beginning, the buffer has space for the beginning alone. Then it
// has space for the `expected` bytes, and grows as long as more bytes arrive.
class WholeRead {
 public:
  WholeRead(int file, std::uint64_t expected, std::uint64_t limit, const LimitFor& limit_for)
      : file_(file), expected_(expected), limit_(limit), limit_for_(limit_for), is_judged_(!limit_for) {}

  FileContent read() {
    while (true) {
      if (done_ == bytes_.size()) grow();
      const ssize_t count = ::read(file_, bytes_.data() + done_, bytes_.size() - done_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed_by(errno);
      if (count == 0) break;
      done_ += static_cast<std::size_t>(count);
      if (!is_judged_ && done_ >= kBeginning && !is_usable()) break;
      if (std::max<std::uint64_t>(done_, is_judged_ ? expected_ : 0) > limit_) return too_large(limit_);
    }
    bytes_.resize(done_);
    return std::move(bytes_);
  }

 private:
  bool is_usable() {
    is_judged_ = true;
    const std::uint64_t limit = limit_for_(std::string_view(bytes_).substr(0, done_));
    limit_ = std::min(limit_, limit);
    return limit != 0;
  }

  void grow() {
    // The buffer may grow to one byte more than the limit, so that a file that is too large is noticed.
    const std::uint64_t most = std::min(limit_, std::uint64_t{PTRDIFF_MAX} - 1) + 1;
    const std::uint64_t expected = is_judged_ ? expected_ + 1 : 0;
    const std::uint64_t wanted = std::max({expected, std::uint64_t{2} * done_, std::uint64_t{kBeginning}});
    bytes_.resize(static_cast<std::size_t>(std::min(most, wanted)));
  }

  int file_;
  std::uint64_t expected_;
  std::uint64_t limit_;
  const LimitFor& limit_for_;
  bool is_judged_;
  std::string bytes_;
  std::size_t done_ = 0;
};

FileContent read_all(int file, std::uint64_t expected, std::uint64_t limit, const LimitFor& limit_for) {
  try {
    return WholeRead(file, expected, limit, limit_for).read();
  } catch (const std::bad_alloc&) {
    return {ReadFault::NoMemory, "there is not enough memory for it"};
  }
}

}  // namespace

std::string FileContent::value() const {
  if (!*this) throw std::runtime_error("a file cannot be read: " + problem_);
  return bytes_;
}

const char* problem_of_kind(mode_t mode) noexcept {
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "it is a device";
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISSOCK(mode)) return "it is a socket";
  return nullptr;
}

FileContent read_file(const std::filesystem::path& path, std::uint64_t limit, const LimitFor& limit_for) {
  // The system ends a path at its first zero byte, and would therefore open another file.
  if (path.native().find('\0') != std::string::npos) return failed_by(ENOENT);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return failed_by(errno);
  const auto refused = [&] { return problem_of_kind(status.st_mode); };
  if (refused()) return {ReadFault::Unreadable, refused()};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return failed_by(errno);
  if (refused()) return {ReadFault::Unreadable, refused()};
  const auto size = static_cast<std::uint64_t>(S_ISREG(status.st_mode) ? status.st_size : 0);
  if (size > limit) return too_large(limit);
  return read_all(file.get(), size, limit, limit_for);
}

FileContent read_open_file(int file, std::uint64_t limit, const LimitFor& limit_for) {
  return read_all(file, 0, limit, limit_for);
}

bool read_at(int file, std::span<std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENODATA;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace graft::base
