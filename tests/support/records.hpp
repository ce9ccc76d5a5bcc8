// Takes records (base/record.hpp) apart and puts them together again, for tests that change one value inside a record.
// All sizes around the changed value are recomputed, so the record is wrong only in what the test changed.
//
//     const Path images = kRecord / field(8);
//     set(images / item(0) / field(1), number(9))(bytes);  // the first image's kind
//
// The encoded bytes do not say whether a value is a record or a list. A Path states the shape for each step, and
// `shape_of` guesses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graft::test::records {

// ---- reading and writing values ----

inline std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i < 8 ? value >> (8 * i) & 0xff : 0);
  return bytes;
}

// Reads a little-endian number. Bytes past the end count as zero.
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(at + i < bytes.size() ? bytes[at + i] : 0);
  return value;
}

inline std::string number(std::uint64_t value) {
  return little_endian(value, 8);
}

// Encodes a value as an item of a list: its size, then its bytes. write_record returns a record in this form too,
// because it encodes the record as a list of one item.
inline std::string sized(std::string_view value) {
  return little_endian(value.size(), 4) + std::string(value);
}

// ---- taking records and lists apart ----

enum class Shape { Plain, Record, List };

// A field of a record or an item of a list. An item has no tag.
struct Piece {
  std::uint16_t tag = 0;
  std::string value;
};

using Pieces = std::vector<Piece>;

inline std::size_t head_bytes(Shape shape) {
  return shape == Shape::Record ? 6 : 4;
}

inline std::string joined(const Pieces& pieces, Shape shape) {
  std::string bytes;
  for (const Piece& piece : pieces) {
    if (shape == Shape::Record) bytes += little_endian(piece.tag, 2);
    bytes += sized(piece.value);
  }
  return bytes;
}

// Splits a value into its fields or items. Returns nothing if the sizes in `bytes` do not fit a value of this shape.
inline std::optional<Pieces> split(std::string_view bytes, Shape shape) {
  const std::size_t head = head_bytes(shape);
  Pieces pieces;
  while (!bytes.empty()) {
    if (bytes.size() < head) return std::nullopt;
    const std::uint64_t size = number_at(bytes, head - 4, 4);
    if (size > bytes.size() - head) return std::nullopt;
    const auto tag = static_cast<std::uint16_t>(shape == Shape::Record ? number_at(bytes, 0, 2) : 0);
    pieces.push_back({tag, std::string(bytes.substr(head, size))});
    bytes.remove_prefix(head + size);
  }
  return pieces;
}

// Guesses the shape of a value. A value of eight bytes is taken for a number, because a small number looks like a list.
inline Shape shape_of(std::string_view bytes) {
  if (bytes.empty() || bytes.size() == 8) return Shape::Plain;
  const auto fields = split(bytes, Shape::Record);
  const auto falls = [](const Piece& a, const Piece& b) { return a.tag >= b.tag; };
  if (fields && fields->front().tag != 0 && std::ranges::adjacent_find(*fields, falls) == fields->end())
    return Shape::Record;
  return split(bytes, Shape::List) ? Shape::List : Shape::Plain;
}

// Returns lists (or fields with this tag) nested to the given depth. Every size in the result is right.
inline std::string nested(Shape shape, std::size_t levels, std::uint16_t tag = 0) {
  std::string bytes;
  for (std::size_t level = levels; level-- > 0;) {
    if (shape == Shape::Record) bytes += little_endian(tag, 2);
    bytes += little_endian(level * head_bytes(shape), 4);
  }
  return bytes;
}

// ---- changing a value inside a record ----

struct Step {
  Shape shape;         // shape of the value that contains the field or item
  std::size_t number;  // the field's tag, or the item's index in the list
};

using Path = std::vector<Step>;

inline Step field(std::uint16_t tag) {
  return {Shape::Record, tag};
}
inline Step item(std::size_t place) {
  return {Shape::List, place};
}
inline Path operator/(Path path, Step step) {
  path.push_back(step);
  return path;
}

inline const Path kRecord = {item(0)};

using Change = std::function<void(std::string&)>;
using ChangeOfPieces = std::function<void(Pieces&, Pieces::iterator)>;

// Applies `change` to the value to which the path leads. Throws if the path leads nowhere, because a test that changes
// nothing must not pass.
inline void change_pieces(std::string& value, std::span<const Step> path, const ChangeOfPieces& change) {
  const Step step = path.front();
  std::optional<Pieces> pieces = split(value, step.shape);
  if (!pieces) throw std::runtime_error("the path leads through a value of another shape");
  const auto found = step.shape == Shape::List
                         ? pieces->begin() + static_cast<std::ptrdiff_t>(std::min(step.number, pieces->size()))
                         : std::ranges::find(*pieces, step.number, &Piece::tag);
  if (found == pieces->end()) throw std::runtime_error("the path leads to no field or item");
  if (path.size() == 1) change(*pieces, found);
  else change_pieces(found->value, path.subspan(1), change);
  value = joined(*pieces, step.shape);
}

inline Change change_at(Path path, ChangeOfPieces change) {
  return
      [path = std::move(path), change = std::move(change)](std::string& whole) { change_pieces(whole, path, change); };
}

inline Change set(Path path, std::string value) {
  return change_at(std::move(path), [value = std::move(value)](Pieces&, auto one) { one->value = value; });
}
inline Change drop(Path path) {
  return change_at(std::move(path), [](Pieces& pieces, auto one) { pieces.erase(one); });
}
inline Change twice(Path path) {
  return change_at(std::move(path), [](Pieces& pieces, auto one) { pieces.insert(one, Piece(*one)); });
}
// Appends the piece after the last field or item of the record or list to which the path leads.
inline Change append(Path path, Shape shape, const Piece& piece) {
  return change_at(std::move(path), [added = joined({piece}, shape)](Pieces&, auto one) { one->value += added; });
}

}  // namespace graft::test::records
