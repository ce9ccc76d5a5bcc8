// Finds programs in PATH. The search ignores relative and empty entries of PATH, because they mean the working folder,
// in which anybody may have put a program. In all functions `path` is the value of PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace graft::toolchain {

// PATH with its absolute entries only. If PATH has no absolute entries, the system's own folders.
std::string safe_path(std::string_view path);

// The entries of PATH that safe_path leaves out, for example "." and "".
std::vector<std::string> left_out_of(std::string_view path);

// The first executable file with this name in the folders of safe_path(path). Empty if there is no such file. `name`
// must not contain a slash.
std::filesystem::path find_program(const std::string& name, std::string_view path);

// Whether `file` is a regular file that this user may execute.
bool is_program(const std::filesystem::path& file);

}  // namespace graft::toolchain
