// Writes files through descriptors. A failed write sets errno and raises no signal (quiet_write.hpp).
#include "base/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/quiet_write.hpp"

namespace graft::base {
namespace fs = std::filesystem;

bool write_file(const fs::path& path, std::span<const std::byte> bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const bool written = write_all(file, bytes);
  const int error = errno;
  // Some file systems report a full disk only on close. A close that fails with EINTR has closed the file.
  if (::close(file) != 0 && errno != EINTR) return false;
  errno = error;
  return written;
}

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write_quietly(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    // No file system should write 0 bytes. write(2) sets no errno in this case, and a repeated call could loop forever.
    if (count == 0) errno = EIO;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace graft::base
