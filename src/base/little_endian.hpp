// Reads and writes the numbers in files. The numbers are little-endian on every machine, because the functions here
// read and write them byte by byte.
//
// Records (record.hpp) and views of files from other programs (format/byte_view.hpp) call these functions and check
// lengths by rules of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/bytes.hpp"

namespace graft::base {

// Returns the number that the bytes encode. `bytes` has at most 8 bytes.
constexpr std::uint64_t little_endian(std::span<const std::byte> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

// Appends the lowest `size` bytes of `value`.
inline void append_little_endian(Bytes& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

class LittleEndianWriter {
 public:
  void u32(std::uint32_t value) { append_little_endian(bytes_, value, 4); }
  void u64(std::uint64_t value) { append_little_endian(bytes_, value, 8); }
  void bytes(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }

  const Bytes& written() const noexcept { return bytes_; }
  Bytes take() noexcept { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// Past the end of the bytes, the reader returns zeros. Callers check lengths before they read.
class LittleEndianReader {
 public:
  explicit LittleEndianReader(std::span<const std::byte> bytes) : left_(bytes) {}

  std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() noexcept { return number(8); }

 private:
  std::uint64_t number(std::size_t size) noexcept {
    const std::span<const std::byte> bytes = left_.first(std::min(size, left_.size()));
    left_ = left_.subspan(bytes.size());
    return little_endian(bytes);
  }

  std::span<const std::byte> left_;
};

}  // namespace graft::base
