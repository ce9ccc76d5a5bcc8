// Reads numpy_values.txt: formulas with the values that NumPy computes, which numpy_values.py has written.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace graft::test {

struct NumpyRow {
  std::string type;  // of the result, by its short name
  double ulps = 0;   // allowed
  std::string text;
  std::string differs;  // why NumPy's own result is another one; empty if it is not
  std::vector<std::string> values;
};

// Formulas of the same variables.
struct NumpyGroup {
  std::string variables;                         // "f32 x, y"
  std::vector<std::vector<std::string>> inputs;  // a column for each variable
  std::vector<NumpyRow> rows;

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const NumpyRow& row : rows) all.push_back(row.text);
    return all;
  }
};

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The table, in the checkout of the build, or, on another machine, in that of a program in build-gpu/bin.
inline std::ifstream open_numpy_values() {
  const std::filesystem::path table = "tests/formula/values/numpy_values.txt";
  const std::filesystem::path root = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../..";
  for (const std::filesystem::path& folder : {std::filesystem::path(GRAFT_SOURCE_DIR), root})
    if (std::ifstream file(folder / table); file) return file;
  throw std::runtime_error("no " + table.string() + " in " GRAFT_SOURCE_DIR " or " + root.string());
}

// Throws std::runtime_error if there is no table, or for a line that is not known.
inline std::vector<NumpyGroup> read_numpy_values() {
  std::ifstream file = open_numpy_values();
  std::vector<NumpyGroup> groups;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = line.substr(space + 1);
    if (word == "variables") {
      groups.push_back({rest, {}, {}});
    } else if (word == "input") {
      groups.at(groups.size() - 1).inputs.push_back(words_of(rest));
    } else if (word == "formula") {
      const std::vector<std::string> words = words_of(rest);
      const std::size_t text = words.at(0).size() + words.at(1).size() + 2;
      groups.at(groups.size() - 1)
          .rows.push_back({words[0], std::strtod(words[1].c_str(), nullptr), rest.substr(text), {}, {}});
    } else if (word == "differs") {
      groups.at(groups.size() - 1).rows.back().differs = rest;
    } else if (word == "values") {
      groups.at(groups.size() - 1).rows.back().values = words_of(rest);
    } else {
      throw std::runtime_error("numpy_values.txt: " + line);
    }
  }
  return groups;
}

}  // namespace graft::test
