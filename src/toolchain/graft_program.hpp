// Finds the program `graft`. In the closed mode (Options::closed), the library starts this program, which compiles the
// callback in a process of its own. The program and the library are installed together, so the search starts at the
// library's own file.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

// Returns `given` (EngineOptions::program) if it is not empty, else `variable` (the value of GRAFT_PROGRAM, an absolute
// path) if it is not empty. If both are empty, looks for `graft` in the library's folder; in ../bin, if this folder is
// called lib, lib64 or bin; and in ../../bin, if the folder above is called lib or lib64. If graft is linked
// statically, the search uses the executable's folder instead. The search skips a program that a user other than root,
// this user and the owner of the library could have written. Returns an empty path and sets `why` if there is no such
// program, or if it cannot be run.
std::filesystem::path find_graft_program(const std::filesystem::path& given, const std::string& variable,
                                         std::string& why);

}  // namespace graft::toolchain
