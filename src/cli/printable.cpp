#include "cli/printable.hpp"

#include <fmt/format.h>

namespace graft::cli {
namespace {

std::string escaped(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c >= ' ' && c <= '~') return {c};
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string line;
  for (const char c : text) {
    const std::string next = escaped(c);
    if (line.size() + next.size() > most) return line + "...";
    line += next;
  }
  return line;
}

}  // namespace graft::cli
