// Words of a command line that stand alone, taken out before the options that record.hpp knows are read.
#pragma once

#include <algorithm>
#include <cstring>

namespace graft::bench {

// Whether `flag` is there; then it is gone from argv.
inline bool take_flag(int& argc, char** argv, const char* flag) {
  char** const end = argv + argc;
  char** const kept = std::remove_if(argv + 1, end, [&](const char* word) { return std::strcmp(word, flag) == 0; });
  const bool found = kept != end;
  argc = static_cast<int>(kept - argv);
  return found;
}

}  // namespace graft::bench
