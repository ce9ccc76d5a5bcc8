// Finds programs in PATH, without its relative and empty entries: these mean the working folder, and anybody may have
// put a program there. `path` is the value of PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace graft::toolchain {

// PATH with its absolute entries only, or the system's own folders when there are none.
std::string safe_path(std::string_view path);

// The entries that safe_path leaves out: "." and "", for example.
std::vector<std::string> left_out_of(std::string_view path);

// The first executable file with this name in safe_path(path); empty when there is none. `name` contains no slash.
std::filesystem::path find_program(const std::string& name, std::string_view path);

// Whether `file` is a regular file that this user may execute.
bool is_program(const std::filesystem::path& file);

}  // namespace graft::toolchain
