// Random, reproducible edits of a file: edits of bits, of numbers, of byte sequences, and of values inside graft's own
// containers (packs, cache entries and records). After an edit inside a container, the container's lengths and
// checksums are recomputed, so that readers do not stop at the checksum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.hpp"
#include "fuzz/sealed.hpp"
#include "support/records.hpp"

namespace graft::attacks {

namespace records = test::records;

class Edits {
 public:
  Edits(std::uint64_t seed, const std::vector<std::string>& seeds) : random_(seed), seeds_(seeds) {}

  std::string next() {
    std::string bytes = seeds_[below(seeds_.size())];
    if (below(3) == 0 && edit_inside(bytes)) return bytes;
    edit(bytes);
    return bytes;
  }

 private:
  using Shape = records::Shape;

  // 1.5 MiB, which is more than every limit of the readers.
  static constexpr std::size_t kBeyondEveryThreshold = std::size_t{3} << 19;
  static constexpr std::size_t kLengths[] = {1'000, 60'000, 900'000, kBeyondEveryThreshold};
  static constexpr std::size_t kChecksum = 16;

  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : random_() % end; }

  void edit(std::string& bytes) {
    for (std::uint64_t left = 1 + below(5); left > 0; --left) edit_once(bytes);
    if (below(200) == 0) grow(bytes);
  }

  void edit_once(std::string& bytes) {
    const std::size_t at = place(bytes);
    const std::size_t size = std::min<std::size_t>(bytes.size() - at, 1 + below(below(4) == 0 ? 400 : 8));
    switch (below(9)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random_());
        break;
      case 2:
        put_number(bytes, at);
        break;
      case 3:
        bytes.erase(at, size);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, size));
        break;
      case 5:
        bytes.insert(at, std::string(1 + below(300), static_cast<char>(random_())));
        break;
      case 6:
        bytes.resize(at);
        break;
      case 7:
        bytes.insert(at, piece_of(seeds_[below(seeds_.size())]));
        break;
      default:
        bytes.insert(at, kPieces[below(std::size(kPieces))]);
        break;
    }
  }

  // Returns a random position, preferably in the first 128 bytes, where lengths and versions are.
  std::size_t place(const std::string& bytes) {
    return below((below(2) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 128)) + 1);
  }

  std::string piece_of(const std::string& other) {
    const std::size_t at = below(other.size() + 1);
    return other.substr(at, below(200));
  }

  void put_number(std::string& bytes, std::size_t at) {
    const std::uint64_t numbers[] = {0,
                                     1,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffffffffffff,
                                     bytes.size(),
                                     bytes.size() + 1,
                                     bytes.size() - at,
                                     below(bytes.size() + 1)};
    const std::uint64_t number = numbers[below(std::size(numbers))];
    const std::size_t size = std::size_t{1} << below(4);
    for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i) bytes[at + i] = static_cast<char>(number >> 8 * i);
  }

  // Inserts one byte sequence repeatedly until the inserted bytes reach one of kLengths. The largest of these lengths
  // is above all limits of the readers.
  void grow(std::string& bytes) {
    std::string piece = bytes.empty() ? "(" : bytes.substr(below(bytes.size()), 1 + below(64));
    if (below(2) == 0) piece = kPieces[below(std::size(kPieces))];
    bytes.insert(place(bytes), repeated(piece));
  }

  std::string repeated(const std::string& piece) {
    const std::size_t length = kLengths[below(std::size(kLengths))];
    std::string text;
    while (text.size() < length) text += piece;
    return text;
  }

  // ---- edits inside packs and cache entries ----

  bool edit_inside(std::string& bytes) {
    if (bytes.starts_with("\x89GRAFT")) return edit_pack(bytes);
    if (bytes.starts_with("GRAFTENT")) return edit_entry(bytes);
    return edit_record(bytes);
  }

  bool edit_pack(std::string& bytes) {
    constexpr std::size_t kHeader = 24;
    constexpr std::size_t kAlignment = 16;
    const std::size_t size = records::number_at(bytes, 12, 4);
    if (bytes.size() < kHeader + kChecksum || size > bytes.size() - kHeader - kChecksum) return false;
    std::string metadata = bytes.substr(kHeader, size);
    const std::size_t begin = (kHeader + size + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t end = bytes.size() - kChecksum;
    const std::string images = begin < end ? bytes.substr(begin, end - begin) : "";
    if (!edit_record(metadata)) edit(metadata);
    bytes = base::as_text(fuzz::pack_around(base::as_bytes(metadata), base::as_bytes(images),
                                            static_cast<std::uint32_t>(records::number_at(bytes, 8, 4))));
    return true;
  }

  // A cache entry consists of a header with the lengths, then the key, the report with the state of the tools, and the
  // image.
  bool edit_entry(std::string& bytes) {
    constexpr std::size_t kHeader = 40;
    if (bytes.size() < kHeader + kChecksum) return false;
    std::string body = bytes.substr(kHeader, bytes.size() - kHeader - kChecksum);
    std::vector<std::string> parts;
    for (const std::size_t at : {std::size_t{16}, std::size_t{24}, std::size_t{32}}) {
      const std::size_t size = std::min<std::size_t>(body.size(), records::number_at(bytes, at, 8));
      parts.push_back(body.substr(0, size));
      body.erase(0, size);
    }
    std::string& part = parts[below(3)];
    if (&part == &parts[1] && part.size() >= 8) part = edited_meta(part);
    else edit(part);
    std::string whole = bytes.substr(0, 16);
    for (const std::string& one : parts) whole += records::number(one.size());
    for (const std::string& one : parts) whole += one;
    bytes = base::as_text(fuzz::sealed(base::as_bytes(whole)));
    return true;
  }

  // An entry's metadata consists of the report's size, the report, and the state of the tools as text.
  std::string edited_meta(const std::string& meta) {
    const std::size_t size = std::min<std::size_t>(meta.size() - 8, records::number_at(meta, 0, 8));
    std::string report = meta.substr(8, size);
    std::string tools = meta.substr(8 + size);
    if (below(4) == 0) edit(tools);
    else if (below(4) == 0 || !edit_record(report)) edit(report);
    const std::size_t claimed = report.size() - std::min<std::size_t>(report.size(), below(2) * below(40));
    return records::number(claimed) + report + tools;
  }

  // ---- edits inside records (base/record.hpp) ----

  // A whole record is encoded in the same way as a list of one item.
  bool edit_record(std::string& bytes) {
    if (records::shape_of(bytes) != Shape::List) return false;
    if (below(20) == 0) return bytes = records::sized(nest()), true;
    for (std::uint64_t left = 1 + below(3); left > 0; --left) edit_value(bytes);
    return true;
  }

  // Follows a random path into the record, changes the value at its end, and recomputes the sizes along the path.
  void edit_value(std::string& value) {
    const Shape shape = records::shape_of(value);
    if (shape == Shape::Plain || below(16) == 0) return edit_plain(value);
    records::Pieces pieces = records::split(value, shape).value();
    const auto one = pieces.begin() + static_cast<std::ptrdiff_t>(below(pieces.size()));
    records::Piece& other = pieces[below(pieces.size())];
    switch (below(20)) {
      case 0:
        pieces.erase(one);
        break;
      case 1:
        pieces.insert(one, records::Piece(*one));
        break;
      case 2:
        std::swap(*one, other);
        break;
      case 3:
        one->value = std::string(other.value);
        break;
      case 4:
        one->tag = odd_tag();
        break;
      case 5:
        pieces.push_back({odd_tag(), odd_value()});
        break;
      case 6:
        one->value = wrapped(shape, *one);
        break;
      default:
        edit_value(one->value);
        break;
    }
    value = records::joined(pieces, shape);
    // Sometimes overwrite a tag or a size without a repair of the sizes around it.
    if (below(60) == 0) put_number(value, below(7));
  }

  void edit_plain(std::string& value) {
    if (below(2) == 0) value = odd_value();
    else if (value.size() == 8) put_number(value, 0);
    else edit(value);
  }

  // Returns a tag near the tags that records use, or a tag that readers may skip.
  std::uint16_t odd_tag() { return static_cast<std::uint16_t>(below(20) + (below(2) == 0 ? base::kMaySkip : 0)); }

  std::string odd_value() {
    switch (below(8)) {
      case 0:
        return {};
      case 1:
        return records::number(~std::uint64_t{0});
      case 2:
        return records::number(std::uint64_t{1} << below(64));
      case 3:
        return records::number(below(300));
      case 4:
        return kPieces[below(std::size(kPieces))];
      case 5:
        return std::string(1 + below(below(20) == 0 ? 100'000 : 100), static_cast<char>('!' + below(90)));
      case 6:
        return records::sized(records::number(below(3)));
      default:
        return below(20) == 0 ? nest() : records::nested(Shape::List, 1 + below(100));
    }
  }

  // Wraps a field or item in itself up to 99 times. The reader of records refuses a nesting of more than 64 levels, so
  // the result may be valid or too deep.
  std::string wrapped(Shape shape, const records::Piece& piece) {
    std::string value = piece.value;
    for (std::uint64_t left = below(100); left > 0; --left) value = records::joined({{piece.tag, value}}, shape);
    return value;
  }

  // Returns lists nested in lists, or fields nested in fields. The result is as long as what `repeated` returns.
  std::string nest() {
    const Shape shape = below(2) == 0 ? Shape::List : Shape::Record;
    return records::nested(shape, kLengths[below(std::size(kLengths))] / records::head_bytes(shape), odd_tag());
  }

  static constexpr const char* kPieces[] = {"../../../x",
                                            "\n",
                                            "\r\n",
                                            "\x1b[31m",
                                            "%s%n%d",
                                            "\"",
                                            "'",
                                            "\\",
                                            "{",
                                            "}}",
                                            "((((((((",
                                            "))",
                                            "[[[[",
                                            "<<<<",
                                            "::",
                                            "\xff\xff\xff\xff",
                                            "\x7f",
                                            "\xc2\x9b",
                                            "\xe2\x80\xae",
                                            "sm_90",
                                            "sm_4294967296",
                                            "-1",
                                            "18446744073709551616",
                                            "1e999",
                                            "0x",
                                            "float",
                                            "const T&",
                                            "/*",
                                            "*/",
                                            "//",
                                            "#include \"",
                                            "R\"(",
                                            "\\\n",
                                            ".version 99.9\n",
                                            ".param .align 4096 .b8 x[99999999999]",
                                            ".visible .func (",
                                            "!<arch>\n",
                                            "\177ELF",
                                            "`\n",
                                            "_ZN",
                                            "St",
                                            "S_",
                                            "T_",
                                            "I",
                                            "E",
                                            "(1,)",
                                            "'descr'",
                                            "True",
                                            "|O",
                                            ">f8",
                                            "#",
                                            "'",
                                            "\t"};

  std::mt19937_64 random_;
  const std::vector<std::string>& seeds_;
};

}  // namespace graft::attacks
