// A File owns an open file or folder of a Disk. read_whole and write_whole read and write a complete file. System calls
// that a signal interrupts (EINTR) are repeated.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "store/disk.hpp"

namespace graft::store {

// After this many interruptions in a row, uninterrupted() gives up and returns -EINTR. Signals do not arrive that fast;
// the limit only guarantees that the loop ends.
inline constexpr int kMostInterruptions = 100;

// Repeats the call as long as a signal interrupts it. Do not use it for close: when close fails with EINTR, the file is
// closed already.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  for (int i = 0; result == -EINTR && i < kMostInterruptions; ++i) result = call();
  return result;
}

// Owns a descriptor, and closes it in the destructor. Move-only, because two owners would close the descriptor twice.
// By the second time, the number may belong to an unrelated file.
class File {
 public:
  File() = default;
  File(Disk& disk, int descriptor) : disk_(&disk), descriptor_(descriptor) {}
  ~File() { close(); }
  File(File&& other) noexcept : disk_(other.disk_), descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    if (this != &other) {
      close();
      disk_ = other.disk_;
      descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const noexcept { return descriptor_ >= 0; }
  // The negative errno with which the Disk failed to open the file. 0 when the file is open.
  int error() const noexcept { return is_open() ? 0 : descriptor_; }
  int get() const noexcept { return descriptor_; }

  // Closes the file and returns the result. Check the result after writing, because some file systems report a failed
  // write only on close.
  int close() noexcept {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor >= 0 ? disk_->close(descriptor) : 0;
  }

 private:
  Disk* disk_ = nullptr;
  int descriptor_ = -1;
};

// read_whole and write_whole return zero or a negative errno. `size` is the size that the file is expected to have. If
// the file has become shorter, `bytes` contains only what was read.
int read_whole(Disk& disk, const File& file, std::uint64_t size, base::Bytes& bytes);
int write_whole(Disk& disk, const File& file, std::span<const std::byte> bytes);

// Returns the system's text for an error, for example "No space left on device".
std::string words_for(int negative_errno);

}  // namespace graft::store
