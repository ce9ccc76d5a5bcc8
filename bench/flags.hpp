// Finds flags without a value, such as --no-gpu, and options of one program with a value, and removes them from the
// command line, because record.hpp parses only the options that all programs have.
#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace graft::bench {

// If `flag` is in argv, removes it and returns true.
inline bool take_flag(int& argc, char** argv, const char* flag) {
  char** const end = argv + argc;
  char** const kept = std::remove_if(argv + 1, end, [&](const char* word) { return std::strcmp(word, flag) == 0; });
  const bool found = kept != end;
  argc = static_cast<int>(kept - argv);
  return found;
}

// If `option` is in argv, removes it and its value, and returns the value. Returns an empty text otherwise. Throws
// std::invalid_argument if there is no value.
inline std::string take_option(int& argc, char** argv, const char* option) {
  char** const end = argv + argc;
  char** const found = std::find_if(argv + 1, end, [&](const char* word) { return std::strcmp(word, option) == 0; });
  if (found == end) return {};
  if (found + 1 == end) throw std::invalid_argument(std::string(option) + " needs a value");
  std::string value = found[1];
  std::copy(found + 2, end, found);
  argc -= 2;
  return value;
}

}  // namespace graft::bench
