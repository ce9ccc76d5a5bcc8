#include "base/cbor.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace graft::base {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 16;

// Major types of RFC 8949.
enum Major : unsigned { Unsigned, Negative, ByteString, Text, Array, Map, Tag, Simple };

struct Head {
  unsigned major = 0;
  std::uint64_t argument = 0;
};

// Reads one item's head and moves `bytes` behind it; false at the end, and for indefinite lengths.
bool read_head(std::span<const std::byte>& bytes, Head& head) {
  if (bytes.empty()) return false;
  const unsigned first = std::to_integer<unsigned>(bytes.front());
  bytes = bytes.subspan(1);
  head.major = first >> 5;
  const unsigned info = first & 31u;
  head.argument = info;
  if (info < 24) return true;
  if (info > 27) return false;
  const std::size_t size = std::size_t{1} << (info - 24);
  if (bytes.size() < size) return false;
  head.argument = 0;
  for (std::size_t i = 0; i < size; ++i) head.argument = head.argument << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  bytes = bytes.subspan(size);
  return true;
}

// `left` holds, for each open array or map, how many items it still lacks.
bool is_safe(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> left = {1};
  while (!left.empty()) {
    if (left.back() == 0) {
      left.pop_back();
      continue;
    }
    --left.back();
    Head head;
    if (!read_head(bytes, head)) return false;
    if (head.major == Tag) return false;
    if (head.major == ByteString || head.major == Text) {
      if (head.argument > bytes.size()) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(head.argument));
    } else if (head.major == Array || head.major == Map) {
      if (left.size() == kDeepest || head.argument > bytes.size()) return false;  // each item takes a byte or more
      left.push_back(head.major == Map ? 2 * head.argument : head.argument);
    }
  }
  return bytes.empty();
}

}  // namespace

Bytes to_cbor(const json& value) {
  const std::vector<std::uint8_t> bytes = json::to_cbor(value);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

json from_cbor(std::span<const std::byte> bytes) {
  if (!is_safe(bytes)) return json(json::value_t::discarded);
  const std::string_view text = as_text(bytes);
  return json::from_cbor(text.begin(), text.end(), true, false);
}

}  // namespace graft::base
