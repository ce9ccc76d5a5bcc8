// Checks that text is safe to print to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::attacks {

// Returns why the text is not safe for a terminal, or an empty string if it is safe. Invalid UTF-8 and control
// characters other than line end and tab are not safe. The control characters include C1 and Unicode's bidirectional
// controls.
inline std::string objection_to_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : 4;
    if (more == 4 || at + more >= text.size()) return "bytes that are no UTF-8 at " + std::to_string(at);
    unsigned code = more == 0 ? lead : lead & (0x3fu >> more);
    for (std::size_t i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if (next >> 6 != 2) return "bytes that are no UTF-8 at " + std::to_string(at);
      code = code << 6 | (next & 0x3fu);
    }
    const bool is_control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
    const bool is_bidirectional = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    if (is_control || is_bidirectional) return "character " + std::to_string(code) + " at " + std::to_string(at);
    at += more + 1;
  }
  return {};
}

}  // namespace graft::attacks
