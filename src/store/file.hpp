// File owns an open file or folder of a Disk; read_whole and write_whole read and write all of it. System calls that a
// signal interrupts (EINTR) are repeated.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "store/disk.hpp"

namespace graft::store {

// A call that is interrupted this often in a row fails. Signals do not come that fast, and the bound keeps the loop
// finite.
inline constexpr int kMostInterruptions = 100;

// Repeats the call while a signal interrupts it. Do not use it for close: a close that fails with EINTR has closed the
// file.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  for (int i = 0; result == -EINTR && i < kMostInterruptions; ++i) result = call();
  return result;
}

// Owns the descriptor. Move-only, because a second owner would close another's file.
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
  int error() const noexcept { return is_open() ? 0 : descriptor_; }  // the Disk's negative errno; 0 when open
  int get() const noexcept { return descriptor_; }

  // Check the result after writing: some file systems report a failed write only on close.
  int close() noexcept {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor >= 0 ? disk_->close(descriptor) : 0;
  }

 private:
  Disk* disk_ = nullptr;
  int descriptor_ = -1;
};

// Both return zero or a negative errno. `size` is the file's size; `bytes` is shorter when the file has become shorter.
int read_whole(Disk& disk, const File& file, std::uint64_t size, base::Bytes& bytes);
int write_whole(Disk& disk, const File& file, std::span<const std::byte> bytes);

// The system's text for an error: "No space left on device".
std::string words_for(int negative_errno);

}  // namespace graft::store
