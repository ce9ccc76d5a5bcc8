// Checks a shared library's file before dlopen opens it.
//
// The loader maps the segments that the program headers declare, and does not compare the segments with the file's
// size. If the file is truncated, the first access to a page beyond the file's end kills the process with SIGBUS.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

// Returns why the file is not a complete library for this machine: "/x/libnvrtc.so.13 is cut off: ...". Returns an
// empty text if the file has no fault, and also if the file cannot be opened, because dlopen then gives a better
// message. Reads the ELF header and the program headers only.
std::string fault_of_library(const std::filesystem::path& file);

}  // namespace graft::toolchain
