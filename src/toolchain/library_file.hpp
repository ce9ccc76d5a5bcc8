// Checks a shared library's file before dlopen gets it.
//
// The loader maps the segments that the program headers declare without comparing them with the file's size. When
// the file is truncated, the first access to a page beyond its end kills the process with SIGBUS.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

// Why the file is not a complete library for this machine: "/x/libnvrtc.so.13 is cut off: ...". Empty when no fault was
// found, and also when the file cannot be opened, because dlopen gives the better message. Reads the headers only.
std::string fault_of_library(const std::filesystem::path& file);

}  // namespace graft::toolchain
