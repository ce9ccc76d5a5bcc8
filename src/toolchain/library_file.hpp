// What a shared library's file must be before the loader may have it.
//
// The loader maps what the program headers promise, whatever there is: of a file that is cut off, the first touch of a
// page that is missing ends the process by SIGBUS.
#pragma once

#include <filesystem>
#include <string>

namespace graft::toolchain {

// Why the file cannot be a library of this machine, or is not whole: "/x/libnvrtc.so.13 is cut off: ...". Empty when
// nothing speaks against it, and where the file cannot be opened, which the loader says best. Reads headers alone.
std::string fault_of_library(const std::filesystem::path& file);

}  // namespace graft::toolchain
