// Extracts the fenced code blocks of a Markdown page, so that tests can compile and run the documentation's examples.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace graft::test {

struct Block {
  std::string title;   // the text after the opening ```: "console", "cuda relu.cu"
  std::string before;  // the line above the code block
  int line;            // line number of the opening ```, counted from 1
  std::vector<std::string> lines;
};

inline std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  bool inside = false;
  std::istringstream lines(page);
  std::string before;
  int number = 0;
  for (std::string line; std::getline(lines, line); before = line) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), before, number, {}});
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace graft::test
