// A file that is there whole or not at all: nobody must take half a result for a whole one.
//
// The bytes go into a temporary file beside the target, which takes the target's name when it is whole. The temporary's
// name is random, and it is locked for as long as its process lives. So two runs never meet in one temporary, and a
// later run for the same target knows one of a killed run by its lock, which is free, and removes it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

namespace graft::cli {

// Asked before each call to the system that can fail, by the call's name. A result other than 0 is the errno that the
// call fails with instead of being made. Tests fail, and kill, at every call in turn.
using BeforeCall = std::function<int(std::string_view call)>;

// Creates or replaces the file, the parts one behind the other. Symbolic links are followed and stay. A file that is
// replaced keeps its mode and, where the system allows that, its owner. What is no regular file (a device, a FIFO,
// /dev/stdout) is opened and written. Throws Error(FileUnreadable).
void write_new_file(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts,
                    const BeforeCall& before = {});

}  // namespace graft::cli
