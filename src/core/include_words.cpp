#include "core/include_words.hpp"

namespace graft {

bool can_include(std::string_view text) {
  constexpr std::string_view kEndsOfLine = " \t\v\f\n\r";
  // The trigraph ?\?/ means a backslash, which may begin a line continuation.
  for (const std::string_view word : {"include", "import", "embed", "?\?/"})
    if (text.find(word) != std::string_view::npos) return true;
  // Returns true also if the text has a line continuation (a backslash at the end of a line), which may split one of
  // the words.
  for (std::size_t at = text.find('\\'); at != std::string_view::npos && at + 1 < text.size();
       at = text.find('\\', at + 1))
    if (kEndsOfLine.find(text[at + 1]) != std::string_view::npos) return true;
  return false;
}

}  // namespace graft
