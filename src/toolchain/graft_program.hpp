// Finds the program `graft`, which the library starts for the closed mode. Both are installed together, so the search
// starts at the library's own file.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

// Takes `given` (EngineOptions::program) if it is not empty, else `variable` (the value of GRAFT_PROGRAM, an absolute
// path) if it is not empty. Only without both it searches: `graft` in the library's folder, then in ../bin and
// ../../bin from there. For a static library, the executable's folder replaces the library's. Empty with `why` when no
// such program can be run.
std::filesystem::path find_graft_program(const std::filesystem::path& given, const std::string& variable,
                                         std::string& why);

}  // namespace graft::toolchain
