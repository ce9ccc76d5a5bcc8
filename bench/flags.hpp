// Finds flags without a value, such as --no-gpu, and removes them from the command line, because record.hpp parses only
// options with values.
#pragma once

#include <algorithm>
#include <cstring>

namespace graft::bench {

// If `flag` is in argv, removes it and returns true.
inline bool take_flag(int& argc, char** argv, const char* flag) {
  char** const end = argv + argc;
  char** const kept = std::remove_if(argv + 1, end, [&](const char* word) { return std::strcmp(word, flag) == 0; });
  const bool found = kept != end;
  argc = static_cast<int>(kept - argv);
  return found;
}

}  // namespace graft::bench
