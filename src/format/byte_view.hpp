// Bytes that are read at offsets which nobody has checked yet.
//
// Every access says whether it fits, and no sum of an offset and a size can overflow. Numbers are little-endian, as in
// all formats that graft reads, and need no alignment.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"

namespace graft::format {

class ByteView {
 public:
  static constexpr std::size_t kLongestText = 4096;

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

  // From `offset` on; empty when that is beyond the end.
  ByteView rest(std::size_t offset) const noexcept {
    return ByteView(offset <= bytes_.size() ? bytes_.subspan(offset) : std::span<const std::byte>());
  }

  template <std::unsigned_integral T>
  std::optional<T> number(std::uint64_t offset) const noexcept {
    if (!has(offset, sizeof(T))) return std::nullopt;
    return get<T>(static_cast<std::size_t>(offset));
  }

  // The same where `has` said yes: the fields of a header whose size was checked.
  template <std::unsigned_integral T>
  T get(std::size_t offset) const noexcept {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(bytes_[offset + i]) << (8 * i)));
    return value;
  }

  // The text from `offset` to the next zero byte; nothing when there is none within 4 KiB. The limit keeps many names
  // that share one long text from costing its square.
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
