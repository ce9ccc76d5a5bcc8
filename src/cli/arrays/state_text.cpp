// Converts a number on the command line to the bytes of the callback's state, in the type of the state. A number that
// the type cannot hold is refused, except that floating-point values are rounded.
#include "cli/arrays/state_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "base/format.hpp"
#include "base/small_float.hpp"
#include "cli/arrays/state_fields.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

template <class T>
base::Bytes bytes_of(T value) {
  base::Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Returns the `size` low bytes of an integer, in the order in which a little-endian machine stores them.
base::Bytes low_bytes(std::uint64_t value, std::size_t size) {
  base::Bytes bytes = bytes_of(value);
  bytes.resize(size);
  return bytes;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

base::Bytes floating(double value, const ElementType& type) {
  if (type.kind == ElementKind::Bfloat) return bytes_of(base::to_small_float(value, 7));
  if (type.size == 2) return bytes_of(base::to_small_float(value, 10));
  if (type.size == 4) return bytes_of(static_cast<float>(value));
  return bytes_of(value);
}

std::optional<base::Bytes> signed_integer(std::string_view text, std::size_t size) {
  const auto value = number<std::int64_t>(text);
  const int unused = 64 - 8 * static_cast<int>(size);
  if (!value || (*value << unused) >> unused != *value) return std::nullopt;
  return low_bytes(static_cast<std::uint64_t>(*value), size);
}

std::optional<base::Bytes> unsigned_integer(std::string_view text, std::size_t size) {
  const auto value = number<std::uint64_t>(text);
  if (!value || (size < 8 && *value >> 8 * size != 0)) return std::nullopt;
  return low_bytes(*value, size);
}

std::optional<base::Bytes> boolean(std::string_view text) {
  if (text == "true" || text == "1") return bytes_of(std::uint8_t{1});
  if (text == "false" || text == "0") return bytes_of(std::uint8_t{0});
  return std::nullopt;
}

bool is_number_type(const ElementType& type) {
  return type.kind != ElementKind::Class && type.kind != ElementKind::Complex && type.kind != ElementKind::Opaque;
}

// Returns the bytes of a struct from the values of its fields.
base::Bytes structure(const std::string& text, const ElementType& type, const ReadFields& fields) {
  const format::Outcome<format::Field> found = fields();
  const std::string problem = !found                             ? found.error().message
                              : found->element.size != type.size ? "its headers have changed"
                                                                 : "";
  if (!problem.empty())
    fail(ErrorCode::TypeMismatch,
         base::format("the callback's state is a {}, not a number, and its fields cannot be read: {}", to_string(type),
                      problem),
         "Give the bytes of the state: --state hex:... or --state @FILE.");
  return bytes_of_fields(text, *found);
}

base::Bytes hexadecimal(std::string_view digits) {
  base::Bytes bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const std::string_view pair = digits.substr(i, 2);
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), value, 16);
    if (pair.size() != 2 || error != std::errc() || end != pair.data() + 2)
      refuse(base::format("hex:{} is not a sequence of hexadecimal bytes", digits),
             "Give two hexadecimal digits for each byte.");
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

[[noreturn]] void fail_about_size(std::size_t wanted, const std::string& given) {
  fail(ErrorCode::TypeMismatch, base::format("the callback's state has {} bytes, and {} were given", wanted, given),
       "Give all bytes of the callback's `const T&` parameter, as they are in memory.");
}

// Reads a file of at most `size` bytes. Stops reading a larger file and fails.
base::Bytes content_of(const std::string& path, std::size_t size) {
  const base::FileContent content = base::read_file(path, size);
  if (content.fault() == base::ReadFault::TooLarge) fail_about_size(size, "more");
  if (!content)
    fail(ErrorCode::FileUnreadable, base::format("cannot read the state from {}: {}", path, content.problem()),
         "Check that it exists, is a file or a pipe, and that this user may read it.");
  const auto bytes = base::as_bytes(*content);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::optional<base::Bytes> parse_number(std::string_view text, const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Bool:
    case ElementKind::Bit:
      return boolean(text);
    case ElementKind::Signed:
      return signed_integer(text, type.size);
    case ElementKind::Unsigned:
      return unsigned_integer(text, type.size);
    case ElementKind::Enum:  // the underlying type may be signed or unsigned
      if (auto bytes = signed_integer(text, type.size)) return bytes;
      return unsigned_integer(text, type.size);
    case ElementKind::Float:
    case ElementKind::Bfloat:
      if (const auto value = number<double>(text)) return floating(*value, type);
      return std::nullopt;
    case ElementKind::Complex:
    case ElementKind::Class:
    case ElementKind::Opaque:
      break;
  }
  return std::nullopt;
}

base::Bytes parse_state(const std::string& text, const ElementType& type, const ReadFields& fields) {
  static_assert(std::endian::native == std::endian::little);
  const bool is_hexadecimal = text.starts_with("hex:");
  if (is_hexadecimal || text.starts_with('@')) {
    base::Bytes bytes =
        is_hexadecimal ? hexadecimal(std::string_view(text).substr(4)) : content_of(text.substr(1), type.size);
    if (bytes.size() != type.size) fail_about_size(type.size, std::to_string(bytes.size()));
    return bytes;
  }
  if (!is_number_type(type)) return structure(text, type, fields);
  std::optional<base::Bytes> bytes = parse_number(text, type);
  if (!bytes)
    refuse(
        base::format("the callback's state is a {}, and `{}` is not a valid value of this type", to_string(type), text),
        "Give a number of this type, or the bytes of one: --state hex:... or --state @FILE.");
  return std::move(*bytes);
}

}  // namespace graft::cli
