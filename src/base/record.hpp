// Serialises objects to tagged fields and reads them back. Records are in cache entries and packs, and are sent between
// processes. The grammar:
//
//     whole  = size (4 bytes) record               the result of write_record; the size exposes a truncated record
//     record = field*                              in ascending order of tags; each tag occurs once
//     field  = tag (2 bytes) size (4) value        numbers are little-endian, negative numbers in two's complement
//     value  = a number, a bool or an enumerator (8 bytes), a text or bytes unchanged, a list, or a record
//     list   = (size (4) value)*
//
// Each type lists its fields once, in a function template named `fields` that both the writer and the reader call. The
// template is found by argument-dependent lookup:
//
//     template <class Codec, base::Is<ToolVersion> T>
//     void fields(Codec& codec, T& tool) {
//       codec.field(1, tool.tool);
//       codec.field(2, tool.version);
//     }
//
// If the record does not have a field, the object's member keeps the value that it had before reading, usually its
// default value. If the record has a field that the reader does not know, the reader cannot read the record, unless the
// field's tag is kMaySkip or larger. So a later version of graft can add fields, and an earlier version never misreads
// them. A record with an unknown field that must not be skipped has the fault Newer and not Damaged: code that deletes
// damaged files must not delete the file of such a record, which the later version of graft can read.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/little_endian.hpp"

namespace graft::base {

// A reader skips an unknown field whose tag is at least this number.
inline constexpr std::uint16_t kMaySkip = 0x8000;

// The reasons why bytes cannot be read as a record.
enum class RecordFault : std::uint8_t {
  // The bytes are not a valid record: they are truncated, too long, or have an invalid value.
  Damaged,
  // The bytes are a valid record, but have a field that this reader does not know and must not skip.
  Newer,
};

template <class T, class Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

class RecordWriter {
 public:
  static constexpr bool kReads = false;

  template <class T>
  void field(std::uint16_t tag, const T& value) {
    number(tag, 2);
    sized([&] { write(value); });
  }
  template <class T>
  void field(std::uint16_t tag, const std::optional<T>& value) {
    if (value) field(tag, *value);
  }
  // For a field that was added after records had been written: leaves the field out if it has its default value, so
  // that records that do not use it keep their bytes.
  template <class T>
  void later_field(std::uint16_t tag, const T& value) {
    if (value != T{}) field(tag, value);
  }
  // The same for an enumerator, as `choice` below.
  template <class Enum>
  void later_choice(std::uint16_t tag, Enum value, Enum last) {
    if (value != Enum{}) choice(tag, value, last);
  }
  // Writes a number, or an optional number, that may be negative. signed_field exists because the reader's `field`
  // refuses negative numbers.
  template <class T>
  void signed_field(std::uint16_t tag, const T& value) {
    field(tag, value);
  }
  // Writes one enumerator, or a list of enumerators. The last argument is the enumerator with the largest valid value.
  // The reader's `choice` checks values against this argument, and the writer ignores it.
  template <class Enum>
  void choice(std::uint16_t tag, Enum value, Enum) {
    field(tag, static_cast<std::uint64_t>(value));
  }
  template <class Enum>
  void choice(std::uint16_t tag, const std::optional<Enum>& value, Enum last) {
    if (value) choice(tag, *value, last);
  }
  template <class Enum>
  void choice(std::uint16_t tag, const std::vector<Enum>& values, Enum) {
    std::vector<std::uint64_t> numbers;
    for (const Enum value : values) numbers.push_back(static_cast<std::uint64_t>(value));
    field(tag, numbers);
  }

  template <class T>
  void whole(const T& object) {
    sized([&] { write(object); });
  }

  bool good() const noexcept { return true; }
  void refuse() const noexcept {}
  Bytes take() noexcept { return std::move(bytes_); }

 private:
  void number(std::uint64_t value, int size) { append_little_endian(bytes_, value, size); }
  template <class Write>
  void sized(Write write_value) {
    const std::size_t at = bytes_.size();
    number(0, 4);
    write_value();
    const std::size_t size = bytes_.size() - at - 4;
    for (std::size_t i = 0; i < 4; ++i) bytes_[at + i] = static_cast<std::byte>(size >> (8 * i) & 0xff);
  }

  void write(std::integral auto value) { number(static_cast<std::uint64_t>(value), 8); }
  void write(double value) { number(std::bit_cast<std::uint64_t>(value), 8); }
  void write(const std::string& text) { write(as_bytes(text)); }
  void write(std::string_view text) { write(as_bytes(text)); }
  void write(const Bytes& bytes) { write(std::span(bytes)); }
  void write(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  template <class T>
  void write(const std::vector<T>& list) {
    for (const T& item : list) sized([&] { write(item); });
  }
  template <class T>
  requires std::is_class_v<T>
  void write(const T& object) { fields(*this, object); }

  Bytes bytes_;
};

// Reads a record. After the first truncated or invalid value, good() returns false and the reader reads nothing more.
class RecordReader {
 public:
  static constexpr bool kReads = true;

  explicit RecordReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  void field(std::uint16_t tag, T& value) {
    if (const auto found = find(tag)) inside(*found, [&] { read(value); });
  }
  template <class T>
  void field(std::uint16_t tag, std::optional<T>& value) {
    if (const auto found = find(tag)) inside(*found, [&] { read(value.emplace(T{})); });
  }
  template <class T>
  void later_field(std::uint16_t tag, T& value) {
    field(tag, value);
  }
  template <std::signed_integral T>
  void signed_field(std::uint16_t tag, T& value) {
    std::optional<T> found;
    signed_field(tag, found);
    if (found) value = *found;
  }
  template <std::signed_integral T>
  void signed_field(std::uint16_t tag, std::optional<T>& value) {
    std::optional<std::uint64_t> wide;
    field(tag, wide);
    if (!wide || !good_) return;
    const auto number = static_cast<std::int64_t>(*wide);
    if (!std::in_range<T>(number)) return refuse();
    value = static_cast<T>(number);
  }
  template <class Enum>
  void choice(std::uint16_t tag, Enum& value, Enum last) {
    std::optional<Enum> found;
    choice(tag, found, last);
    if (found) value = *found;
  }
  template <class Enum>
  void later_choice(std::uint16_t tag, Enum& value, Enum last) {
    choice(tag, value, last);
  }
  template <class Enum>
  void choice(std::uint16_t tag, std::optional<Enum>& value, Enum last) {
    std::optional<std::uint64_t> number;
    field(tag, number);
    if (!number) return;
    if (*number > static_cast<std::uint64_t>(last)) return refuse();
    if (good_) value = static_cast<Enum>(*number);
  }
  template <class Enum>
  void choice(std::uint16_t tag, std::vector<Enum>& values, Enum last) {
    std::optional<std::vector<std::uint64_t>> numbers;
    field(tag, numbers);
    if (!numbers || !good_) return;
    values.clear();
    for (const std::uint64_t number : *numbers) {
      if (number > static_cast<std::uint64_t>(last)) return refuse();
      values.push_back(static_cast<Enum>(number));
    }
  }

  bool good() const noexcept { return good_; }
  // Returns true after an unknown field that must not be skipped. The reader still reads the rest of the record, to
  // tell a newer record from a damaged one.
  bool is_newer() const noexcept { return is_newer_; }
  // Marks the record as damaged. Called by `fields` functions that check values themselves.
  void refuse() noexcept { good_ = false; }

  // Reads the object. Returns false when the bytes are not exactly one valid record.
  template <class T>
  bool whole(T& object) {
    const std::uint64_t size = number(4);
    if (size != left_.size()) refuse();
    if (good_) read(object);
    return good_;
  }

 private:
  // How deeply values may be nested. No object of graft is nested so deeply, and a damaged record must not overflow the
  // stack.
  static constexpr int kDeepest = 64;
  // The most items of all lists of a record together. An item may take 4 bytes in a record and 100 bytes in memory, so
  // that without a limit a hostile record could take 25 times its size in memory. The longest list of graft's own, the
  // diagnostics of a compile, has some hundred items.
  static constexpr std::size_t kMostItems = std::size_t{1} << 16;

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > left_.size()) refuse();
    if (!good_) return {};
    const std::span<const std::byte> taken = left_.first(static_cast<std::size_t>(size));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  std::uint64_t number(std::size_t size) { return little_endian(take(size)); }
  void skip(std::uint64_t tag) {
    if (tag <= last_tag_) refuse();
    is_newer_ |= tag < kMaySkip;
    last_tag_ = tag;
    take(number(4));
  }

  // Returns the value of the field with this tag, or nothing when the record does not have the field.
  std::optional<std::span<const std::byte>> find(std::uint16_t tag) {
    while (good_ && !left_.empty()) {
      if (left_.size() < 2) refuse();
      const std::span<const std::byte> before = left_;
      const std::uint64_t found = number(2);
      if (!good_) break;
      if (found > tag) {
        left_ = before;
        return std::nullopt;
      }
      if (found == tag) {
        if (found <= last_tag_) refuse();
        last_tag_ = found;
        const std::span<const std::byte> value = take(number(4));
        return good_ ? std::optional(value) : std::nullopt;
      }
      skip(found);
    }
    return std::nullopt;
  }

  // Calls `read_value`, and lets it read only `bytes`. Marks the record as damaged if read_value leaves bytes unread.
  template <class Read>
  void inside(std::span<const std::byte> bytes, Read read_value) {
    if (++depth_ > kDeepest) refuse();
    const std::span<const std::byte> outer = std::exchange(left_, bytes);
    const std::uint64_t outer_tag = std::exchange(last_tag_, 0);
    if (good_) read_value();
    if (!left_.empty()) refuse();
    left_ = outer;
    last_tag_ = outer_tag;
    --depth_;
  }

  template <std::integral T>
  void read(T& value) {
    const std::uint64_t wide = number(8);
    if (wide > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) refuse();
    if (good_) value = static_cast<T>(wide);
  }
  void read(double& value) {
    const std::uint64_t bits = number(8);
    if (good_) value = std::bit_cast<double>(bits);
  }
  void read(std::string& text) { text = as_text(take(left_.size())); }
  void read(Bytes& bytes) {
    const std::span<const std::byte> all = take(left_.size());
    bytes.assign(all.begin(), all.end());
  }
  template <class T>
  void read(std::vector<T>& list) {
    list.clear();
    while (good_ && !left_.empty()) {
      const std::span<const std::byte> item = take(number(4));
      if (++items_ > kMostItems) refuse();
      if (good_) inside(item, [&] { read(list.emplace_back()); });
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void read(T& object) {
    fields(*this, object);
    // Skips the fields after the last field that this reader knows.
    while (good_ && !left_.empty()) skip(number(2));
  }

  std::span<const std::byte> left_;
  // The tag of the last field that was read in the current record, or 0 before the first field.
  std::uint64_t last_tag_ = 0;
  int depth_ = 0;
  std::size_t items_ = 0;  // how many items of lists were read
  bool good_ = true;
  bool is_newer_ = false;
};

template <class T>
Bytes write_record(const T& object) {
  RecordWriter writer;
  writer.whole(object);
  return writer.take();
}

// Returns the object, or the reason why the bytes cannot be read.
template <class T>
std::variant<T, RecordFault> examine_record(std::span<const std::byte> bytes) {
  T object;
  RecordReader reader(bytes);
  if (!reader.whole(object)) return RecordFault::Damaged;
  if (reader.is_newer()) return RecordFault::Newer;
  return object;
}

// Returns the object, or nothing if the bytes have a fault. This is for callers that do not need to know which fault.
template <class T>
std::optional<T> read_record(std::span<const std::byte> bytes) {
  std::variant<T, RecordFault> read = examine_record<T>(bytes);
  if (T* const object = std::get_if<T>(&read)) return std::move(*object);
  return std::nullopt;
}

}  // namespace graft::base
