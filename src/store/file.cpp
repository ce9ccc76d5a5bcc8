// Reads and writes in loops, because read(2) and write(2) may handle fewer bytes than requested.
#include "store/file.hpp"

#include <cerrno>
#include <cstddef>
#include <system_error>

namespace graft::store {

int read_whole(Disk& disk, const File& file, std::uint64_t size, base::Bytes& bytes) {
  bytes.resize(static_cast<std::size_t>(size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = uninterrupted([&] { return disk.read(file.get(), bytes.data() + done, bytes.size() - done); });
    if (got < 0) return static_cast<int>(got);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return 0;
}

int write_whole(Disk& disk, const File& file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = uninterrupted([&] { return disk.write(file.get(), bytes.data(), bytes.size()); });
    if (done < 0) return static_cast<int>(done);
    // The disk accepted no byte. write_whole fails, because repeating the write could loop for ever.
    if (done == 0) return -EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return 0;
}

std::string words_for(int negative_errno) {
  return std::generic_category().message(-negative_errno);
}

}  // namespace graft::store
