// Decodes UTF-8 one character at a time and replaces each character or byte that could control a terminal.
#include "cli/output/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/format.hpp"

namespace graft::cli {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// One character of the text, or one byte that does not begin a valid UTF-8 sequence. For such a byte, `code` is kNone.
struct Unit {
  std::string_view bytes;
  std::uint32_t code = kNone;
};

// Describes the UTF-8 sequences of one length (RFC 3629). The first byte equals `bits` where `mask` has ones, and
// `more` bytes follow. `smallest` is the smallest code point that needs this length. A sequence with a smaller code
// point is an overlong encoding, which is invalid.
struct Lead {
  std::uint8_t mask;
  std::uint8_t bits;
  std::size_t more;
  std::uint32_t smallest;
};
constexpr std::array kLeads = {Lead{0x80, 0x00, 0, 0}, Lead{0xE0, 0xC0, 1, 0x80}, Lead{0xF0, 0xE0, 2, 0x800},
                               Lead{0xF8, 0xF0, 3, 0x10000}};

// Returns the first unit of a text that is not empty.
Unit first_unit(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const Unit none = {text.substr(0, 1), kNone};
  const auto* const lead =
      std::ranges::find_if(kLeads, [&](const Lead& one) { return (byte(0) & one.mask) == one.bits; });
  if (lead == kLeads.end() || text.size() <= lead->more) return none;
  std::uint32_t code = byte(0) & static_cast<std::uint8_t>(~lead->mask);
  for (std::size_t i = 1; i <= lead->more; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return none;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead->smallest || code > 0x10FFFF || is_surrogate) return none;
  return {text.substr(0, lead->more + 1), code};
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
// The control characters C0, DEL and C1; Unicode's Bidi_Control characters; the line and the paragraph separator.
constexpr std::array kControls = {Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0x061C, 0x061C},
                                  Range{0x200E, 0x200F}, Range{0x2028, 0x202E}, Range{0x2066, 0x2069}};

std::string shown(const Unit& unit) {
  if (unit.code == kNone) return base::format("\\x{:02x}", static_cast<unsigned char>(unit.bytes[0]));
  const bool is_control = std::ranges::any_of(
      kControls, [&](const Range& range) { return unit.code >= range.first && unit.code <= range.last; });
  if (!is_control) return std::string(unit.bytes);
  return unit.code < 0x80 ? base::format("\\x{:02x}", unit.code) : base::format("\\u{:04x}", unit.code);
}

bool is_plain(char c) {
  return c >= ' ' && c <= '~';
}

}  // namespace

std::string visible(std::string_view text) {
  std::string fit;
  fit.reserve(text.size());
  while (!text.empty()) {
    const auto* const end =
        std::ranges::find_if_not(text, [](char c) { return is_plain(c) || c == '\n' || c == '\t'; });
    const auto plain = static_cast<std::size_t>(end - text.begin());
    fit += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Unit unit = first_unit(text);
    fit += shown(unit);
    text.remove_prefix(unit.bytes.size());
  }
  return fit;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string line;
  while (!text.empty()) {
    const Unit unit = first_unit(text);
    const std::string next = unit.code == '\n' ? "\\n" : unit.code == '\t' ? "\\t" : shown(unit);
    if (line.size() + next.size() > most) return line + "...";
    line += next;
    text.remove_prefix(unit.bytes.size());
  }
  return line;
}

}  // namespace graft::cli
