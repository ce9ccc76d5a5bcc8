// Writes the preprocessor directives of a program. The file name in a #line directive is escaped, because a compiler
// rejects quotes, line ends and bytes that are not UTF-8 there.
#include "codegen/program_text.hpp"

#include <algorithm>
#include <cstddef>

namespace graft::codegen {
namespace {

// Returns the length in bytes of the UTF-8 sequence at the beginning of the text, or 0 if the sequence is not valid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0u) != 0x80) return 0;
  // Reject overlong forms, surrogates, and code points above U+10FFFF.
  const unsigned second = byte(1);
  const bool is_none = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                       (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return is_none ? 0 : length;
}

// Escapes a file name for use between the quotes of a #line directive. Bytes that are not UTF-8 become question marks,
// because compilers reject them there.
std::string quoted(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const char c = name[0];
    const std::size_t length = utf8_length(name);
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\r') out += ' ';
    else if (length == 0) out += '?';
    else out += name.substr(0, length);
    name.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

}  // namespace

void ProgramText::lines_of(std::string_view file, int number) {
  line("#line {} \"{}\"", number, quoted(file));
}

void ProgramText::include(std::string_view header) {
  line("#include \"{}\"", header);
}

void ProgramText::define(std::string_view macro, std::string_view value) {
  line("#define {} {}", macro, value);
}

void ProgramText::define(std::string_view macro) {
  line("#define {}", macro);
}

void ProgramText::undefine(std::string_view macro) {
  line("#undef {}", macro.substr(0, macro.find('(')));
}

}  // namespace graft::codegen
