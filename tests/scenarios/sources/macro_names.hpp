// Names that users' macros may have. Tests define all of them and expect that graft's own code does not change.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graft/graft.hpp"

namespace graft::test {

// Returns the everyday names: single letters, ordinary words, and common macros of users' headers.
const std::vector<std::string>& everyday_names();

// Returns the identifiers of graft's own device code: all files of building_blocks, the public header device.h, and the
// programs that graft generated for `generated`. Names that begin with graft_ and names that no program may define
// (keywords, names with two underscores) are left out, and also the names of reserved_names().
std::vector<std::string> names_of_graft(const std::vector<std::string>& generated);

// Names in graft's own code that a program cannot define as macros, because they are names of C++ or CUDA: NVRTC's or
// the host compiler's own headers, or every program with a kernel, would break.
const std::vector<std::string>& reserved_names();

// Returns everyday_names() and names_of_graft(), each once.
std::vector<std::string> sweep_names(const std::vector<std::string>& generated = {});

// Finds names of which `fails` is true, by halving. Returns at most five, and an empty list if `fails` is true only for
// several names together.
std::vector<std::string> guilty_names(const std::vector<std::string>& names,
                                      const std::function<bool(const std::vector<std::string>&)>& fails);

// Returns the words of a text, outside of comments and strings. Words of preprocessor lines are included.
std::vector<std::string> words_in(std::string_view text);

}  // namespace graft::test
