// A file that is there whole or not at all: nobody must take half a result for a whole one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>

namespace graft::cli {

// Creates or replaces the file, the parts one behind the other. Throws Error(FileUnreadable).
void write_new_file(const std::filesystem::path& path, std::initializer_list<std::span<const std::byte>> parts);

}  // namespace graft::cli
