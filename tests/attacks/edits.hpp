// Random edits of a file, seeded: bits, numbers, pieces, and the insides of graft's own containers, whose lengths and
// checksums are made good again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sealed.hpp"

namespace graft::attacks {

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
  static constexpr std::size_t kBeyondEveryThreshold = std::size_t{3} << 19;  // 1.5 MiB
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

  // Lengths and versions stand near the front.
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
    const bool is_big_endian = below(4) == 0;  // CBOR
    for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
      bytes[at + i] = static_cast<char>(number >> 8 * (is_big_endian ? size - 1 - i : i));
  }

  // One piece again and again: to a length below the readers' limits, or above every one of them.
  void grow(std::string& bytes) {
    std::string piece = bytes.empty() ? "(" : bytes.substr(below(bytes.size()), 1 + below(64));
    if (below(2) == 0) piece = kPieces[below(std::size(kPieces))];
    bytes.insert(place(bytes), repeated(piece));
  }

  std::string repeated(const std::string& piece) {
    constexpr std::size_t kLengths[] = {1'000, 60'000, 900'000, kBeyondEveryThreshold};
    const std::size_t length = kLengths[below(std::size(kLengths))];
    std::string text;
    while (text.size() < length) text += piece;
    return text;
  }

  // ---- containers ----

  bool edit_inside(std::string& bytes) {
    if (bytes.starts_with("\x89GRAFT")) return edit_pack(bytes);
    if (bytes.starts_with("GRAFTENT")) return edit_entry(bytes);
    return edit_cbor(bytes);
  }

  bool edit_pack(std::string& bytes) {
    constexpr std::size_t kHeader = 24;
    constexpr std::size_t kAlignment = 16;
    const std::size_t size = number(bytes, 12, 4);
    if (bytes.size() < kHeader + kChecksum || size > bytes.size() - kHeader - kChecksum) return false;
    std::string metadata = bytes.substr(kHeader, size);
    const std::size_t begin = (kHeader + size + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t end = bytes.size() - kChecksum;
    const std::string images = begin < end ? bytes.substr(begin, end - begin) : "";
    if (!edit_cbor(metadata)) edit(metadata);
    bytes = base::as_text(fuzz::pack_around(base::as_bytes(metadata), base::as_bytes(images)));
    return true;
  }

  // Key, report and tools, image; their lengths stand in the header.
  bool edit_entry(std::string& bytes) {
    constexpr std::size_t kHeader = 40;
    if (bytes.size() < kHeader + kChecksum) return false;
    std::string body = bytes.substr(kHeader, bytes.size() - kHeader - kChecksum);
    std::vector<std::string> parts;
    for (const std::size_t at : {std::size_t{16}, std::size_t{24}, std::size_t{32}}) {
      const std::size_t size = std::min(body.size(), number(bytes, at, 8));
      parts.push_back(body.substr(0, size));
      body.erase(0, size);
    }
    std::string& part = parts[below(3)];
    const bool is_meta = &part == &parts[1] && part.size() >= 8;
    if (is_meta) {
      std::string report = part.substr(8);
      edit(report);
      part = little_endian(report.size() - std::min<std::size_t>(report.size(), below(2) * below(40))) + report;
    } else {
      edit(part);
    }
    std::string whole = bytes.substr(0, 16);
    for (const std::string& one : parts) whole += little_endian(one.size());
    for (const std::string& one : parts) whole += one;
    bytes = base::as_text(fuzz::sealed(base::as_bytes(whole)));
    return true;
  }

  static std::size_t number(const std::string& bytes, std::size_t at, std::size_t size) {
    std::size_t value = 0;
    for (std::size_t i = size; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(at + i < bytes.size() ? bytes[at + i] : 0);
    return value;
  }
  static std::string little_endian(std::uint64_t value) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
    return text;
  }

  // ---- CBOR ----

  bool edit_cbor(std::string& bytes) {
    nlohmann::json value = nlohmann::json::from_cbor(bytes.begin(), bytes.end(), true, false);
    if (value.is_discarded() || !value.is_structured()) return false;
    if (below(20) == 0) return nest(bytes), true;
    for (std::uint64_t left = 1 + below(3); left > 0; --left) edit_value(value);
    bytes.clear();
    nlohmann::json::to_cbor(value, bytes);
    return true;
  }

  // Items inside items: byte strings and texts of indefinite length, arrays, maps, tags.
  void nest(std::string& bytes) {
    constexpr const char* kOpenings[] = {"\x5f", "\x7f", "\x81", "\x9f", "\xbf", "\xa1\x61x", "\xc1", "\xd8\x20"};
    bytes.resize(below(2) == 0 ? 0 : below(bytes.size() + 1));
    bytes += repeated(kOpenings[below(std::size(kOpenings))]);
  }

  // Goes down a random way, and changes what is at its end.
  void edit_value(nlohmann::json& value) {
    if (value.is_structured() && !value.empty() && below(8) != 0) {
      auto one = value.begin();
      std::advance(one, static_cast<std::ptrdiff_t>(below(value.size())));
      if (below(10) == 0) value.erase(one);
      else edit_value(*one);
      return;
    }
    if (value.is_array() && !value.empty() && below(2) == 0) return value.push_back(value[below(value.size())]);
    if (value.is_object() && below(2) == 0) return void(value["other"] = odd_value());
    if (value.is_binary() && below(2) == 0) return edit_binary(value.get_binary());
    value = odd_value();
  }

  void edit_binary(std::vector<std::uint8_t>& binary) {
    std::string text(binary.begin(), binary.end());
    edit(text);
    binary.assign(text.begin(), text.end());
  }

  nlohmann::json odd_value() {
    switch (below(12)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return -1;
      case 3:
        return std::int64_t{1} << below(63);
      case 4:
        return ~std::uint64_t{0};
      case 5:
        return below(300);
      case 6:
        return -1e300 * static_cast<double>(below(3));
      case 7:
        return std::string(kPieces[below(std::size(kPieces))]);
      case 8:
        return std::string(1 + below(below(20) == 0 ? 100'000 : 100), static_cast<char>('!' + below(90)));
      case 9:
        return nlohmann::json::array({1, "x", nullptr});
      case 10:
        return nlohmann::json::object();
      default:
        return nlohmann::json::binary({0x7f, 'E', 'L', 'F'});
    }
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
                                            "\x81\x81\x81\x81\x81\x81\x81\x81",
                                            "\x9f\x9f\x9f\x9f",
                                            "\x7f\x7f\x7f\x7f\x7f\x7f",
                                            "\xbf\xbf",
                                            "\x5f\x5f",
                                            "\xfb\x7f\xf0",
                                            "\xf9\x7e",
                                            "\x1b\xff\xff",
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
                                            "\x7f"
                                            "ELF",
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
