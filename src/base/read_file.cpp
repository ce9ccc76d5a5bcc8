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

constexpr std::size_t kFirstRead = std::size_t{1} << 16;

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

// Allocates space for `expected` bytes at first, and grows the buffer as long as more bytes arrive.
FileContent read_to_end(int file, std::uint64_t expected, std::uint64_t limit) {
  // The buffer may grow to one byte more than the limit, so that a file that is too large is noticed.
  const std::uint64_t most = std::min(limit, std::uint64_t{PTRDIFF_MAX} - 1) + 1;
  std::string bytes;
  std::size_t done = 0;
  while (true) {
    if (done == bytes.size())
      bytes.resize(static_cast<std::size_t>(
          std::min(most, std::max({expected + 1, std::uint64_t{2} * done, std::uint64_t{kFirstRead}}))));
    const ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed_by(errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
    if (done > limit) return too_large(limit);
  }
  bytes.resize(done);
  return bytes;
}

FileContent read_all(int file, std::uint64_t expected, std::uint64_t limit) {
  try {
    return read_to_end(file, expected, limit);
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

FileContent read_file(const std::filesystem::path& path, std::uint64_t limit) {
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
  return read_all(file.get(), size, limit);
}

FileContent read_open_file(int file, std::uint64_t limit) {
  return read_all(file, 0, limit);
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
