// An array at a chosen offset from a 64-byte boundary, whose memory ends with the array's last byte. AddressSanitizer
// reports accesses past the end. AddressSanitizer also reports accesses before the start, except to the last few bytes
// before it, because AddressSanitizer marks memory in units of 8 bytes. `front_is_intact` finds writes to these few
// bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) (static_cast<void>(address), static_cast<void>(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) (static_cast<void>(address), static_cast<void>(bytes))
#endif

namespace blocks {

class ExactArray {
 public:
  ExactArray(std::size_t bytes, std::size_t offset)
      : offset_(offset), bytes_(bytes), memory_(static_cast<std::byte*>(::operator new(offset + bytes, kAlignment))) {
    std::fill_n(memory_.get(), offset, kFront);
    ASAN_POISON_MEMORY_REGION(memory_.get(), offset);
  }

  std::byte* data() const { return memory_.get() + offset_; }
  std::vector<std::byte> copy() const { return {data(), data() + bytes_}; }
  void assign(std::span<const std::byte> bytes) { std::copy(bytes.begin(), bytes.end(), data()); }
  void fill(std::byte value) { std::fill_n(data(), bytes_, value); }

  // Returns whether the bytes before the array are unchanged. After this call, AddressSanitizer allows access to these
  // bytes.
  bool front_is_intact() {
    ASAN_UNPOISON_MEMORY_REGION(memory_.get(), offset_);
    return std::count(memory_.get(), memory_.get() + offset_, kFront) == static_cast<std::ptrdiff_t>(offset_);
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  static constexpr std::byte kFront{0x5a};
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::size_t offset_;
  std::size_t bytes_;
  std::unique_ptr<std::byte[], Delete> memory_;
};

}  // namespace blocks
