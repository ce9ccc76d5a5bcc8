// Bounds-checked access to bytes from untrusted files. The readers in this folder need the checks because they follow
// offsets and sizes that the file itself states.
//
// Each access except get() and rest() returns nothing if it would read past the end of the bytes. The checks cannot
// overflow, whatever the offset and the size. Numbers are little-endian, as in all formats that graft reads, and need
// no alignment.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/little_endian.hpp"

namespace graft::format {

class ByteView {
 public:
  static constexpr std::size_t kLongestText = 4096;  // the longest text that zero_ended() returns, in bytes

  ByteView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t size() const noexcept { return bytes_.size(); }
  std::string_view text() const noexcept { return base::as_text(bytes_); }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  bool has(std::uint64_t offset, std::uint64_t size) const noexcept {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

  std::optional<ByteView> part(std::uint64_t offset, std::uint64_t size) const noexcept {
    if (!has(offset, size)) return std::nullopt;
    return ByteView(bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)));
  }

  // All bytes from `offset` on; empty when `offset` is beyond the end.
  ByteView rest(std::size_t offset) const noexcept {
    return ByteView(offset <= bytes_.size() ? bytes_.subspan(offset) : std::span<const std::byte>());
  }

  template <std::unsigned_integral T>
  std::optional<T> number(std::uint64_t offset) const noexcept {
    if (!has(offset, sizeof(T))) return std::nullopt;
    return get<T>(static_cast<std::size_t>(offset));
  }

  // Like number(), but without the bounds check. Call has() first, for example once for a whole header.
  template <std::unsigned_integral T>
  T get(std::size_t offset) const noexcept {
    return static_cast<T>(base::little_endian(bytes_.subspan(offset, sizeof(T))));
  }

  // The text from `offset` to the next zero byte. Returns nothing when no zero byte follows within kLongestText bytes.
  // Without this limit, a file with many names that all point into one long text would take quadratic time to read.
  std::optional<std::string_view> zero_ended(std::uint64_t offset) const noexcept {
    if (offset >= bytes_.size()) return std::nullopt;
    const std::string_view from = text().substr(static_cast<std::size_t>(offset), kLongestText);
    const std::size_t end = from.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return from.substr(0, end);
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace graft::format
