// Where the program `graft` is, for the library that starts it: beside the library, as both were installed.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

// `given` is final where it is not empty (EngineOptions::program), and so is `variable` (the value of GRAFT_PROGRAM),
// which must be absolute. Else `graft` in the library's folder, or in ../bin or ../../bin from there; of a static
// library in the executable's folder. Empty with `why` when there is no such program.
std::filesystem::path find_graft_program(const std::filesystem::path& given, const std::string& variable,
                                         std::string& why);

}  // namespace graft::toolchain
