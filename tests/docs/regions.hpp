// Reads the regions of example files that the pages in docs/ show. In a C++ file, two marks enclose a region:
//
//     void first() {
//       // [first]
//       relu.execute(stream, in, out);
//       // [/first]
//     }
//
// A page has the line `<!-- examples/guide/first.cpp: first -->` before the code block that shows this region. In CMake
// files, marks begin with `#`. A region may have several parts with the same name. The parts are joined without a
// separator, after the indentation of each part is removed.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace graft::test {

// Returns the name in a mark, `// [name]` or `# [name]`. The name in an end mark begins with a slash.
inline std::optional<std::string> mark_in(const std::string& line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  const std::string text = line.substr(begin);
  for (const std::string open : {"// [", "# ["})
    if (text.starts_with(open) && text.ends_with(']')) return text.substr(open.size(), text.size() - open.size() - 1);
  return {};
}

inline void remove_indentation(std::vector<std::string>& lines) {
  std::size_t least = std::string::npos;
  for (const std::string& line : lines) least = std::min(least, line.find_first_not_of(' '));
  for (std::string& line : lines) line.erase(0, line.empty() ? 0 : least);
}

// Returns all regions of a file by name. Throws if a part begins inside another part or has no end.
inline std::map<std::string, std::string> regions_of(const std::string& text) {
  std::map<std::string, std::string> regions;
  std::string open;
  std::vector<std::string> piece;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto mark = mark_in(line);
    if (!mark) {
      if (!open.empty()) piece.push_back(line);
    } else if (open.empty() != !mark->starts_with('/')) {
      throw std::runtime_error("mark out of place: " + *mark);
    } else if (open.empty()) {
      open = *mark;
    } else {
      if (*mark != "/" + open) throw std::runtime_error("[" + open + "] ends with [" + *mark + "]");
      remove_indentation(piece);
      for (const std::string& one : piece) regions[open] += one + '\n';
      piece.clear();
      open.clear();
    }
  }
  if (!open.empty()) throw std::runtime_error("[" + open + "] does not end");
  return regions;
}

}  // namespace graft::test
