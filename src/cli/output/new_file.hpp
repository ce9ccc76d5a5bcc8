// Writes output files atomically: a reader sees the old file or the whole new one, even if graft is killed.
//
// The bytes go into a temporary file in the target's folder, which is renamed to the target when it is complete. The
// temporary file has a random name, so two runs of graft never use the same temporary file. The file stays locked as
// long as the process that made it lives. A later run for the same target removes the temporary files that it can lock,
// because the processes that made them were killed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

namespace graft::cli {

// Called with the name of a system call before each call that can fail. If the result is 0, the call is made. Any other
// result is an errno, with which the call fails without being made. Tests use this function to make each call in turn
// fail, or to kill the process at each call.
using BeforeCall = std::function<int(std::string_view call)>;

// Creates or replaces the file. The file's content becomes the parts, one after another. Follows symbolic links and
// leaves them in place. A replaced file keeps its mode and, if the system allows it, its owner. A device, a FIFO or
// /dev/stdout cannot be replaced, so it is opened and written. Throws Error(FileUnreadable).
void write_new_file(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts,
                    const BeforeCall& before = {});

}  // namespace graft::cli
