// Reads and writes the numbers in files. They are little-endian on every machine, because they are read and written
// byte by byte.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/bytes.hpp"

namespace graft::base {

class LittleEndianWriter {
 public:
  void u32(std::uint32_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  void bytes(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }

  const Bytes& written() const noexcept { return bytes_; }
  Bytes take() noexcept { return std::move(bytes_); }

 private:
  void number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
  }

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
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size && i < left_.size(); ++i)
      value |= std::to_integer<std::uint64_t>(left_[i]) << (8 * i);
    left_ = left_.subspan(size < left_.size() ? size : left_.size());
    return value;
  }

  std::span<const std::byte> left_;
};

}  // namespace graft::base
