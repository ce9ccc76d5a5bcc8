// An open file or folder of a Disk, and whole reads and writes of it. Interrupted calls are made again.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "store/disk.hpp"

namespace graft::store {

// A call that is interrupted this often in a row fails: no signal comes so fast, and no loop of graft's is endless.
inline constexpr int kMostInterruptions = 100;

// Makes the call again while a signal interrupts it. Not for close, which has closed the file all the same.
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
  int error() const noexcept { return is_open() ? 0 : descriptor_; }  // negative, as the Disk gave it
  int get() const noexcept { return descriptor_; }

  // The result matters after writing: some file systems report a failed write only here.
  int close() noexcept {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor >= 0 ? disk_->close(descriptor) : 0;
  }

 private:
  Disk* disk_ = nullptr;
  int descriptor_ = -1;
};

// Zero, or a negative errno. What could be read is in `bytes`, which is at most as long as the file was.
int read_whole(Disk& disk, const File& file, std::uint64_t size, base::Bytes& bytes);
int write_whole(Disk& disk, const File& file, std::span<const std::byte> bytes);

// "No space left on device".
std::string words_for(int negative_errno);

}  // namespace graft::store
