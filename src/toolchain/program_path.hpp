// Finds programs in PATH. The search ignores relative and empty entries of PATH. A relative entry is relative to the
// working folder, an empty entry is the working folder itself, and anybody may have put a program into the working
// folder. The parameter `path` is always the value of PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace graft::toolchain {

// Returns PATH with its absolute entries only, or "/usr/bin:/bin" if PATH has no absolute entries.
std::string safe_path(std::string_view path);

// Returns the relative and empty entries of PATH, which safe_path leaves out, for example "." and "".
std::vector<std::string> left_out_of(std::string_view path);

// Returns the first executable file with this name in the folders of safe_path(path), or an empty path if there is no
// such file. `name` must not contain a slash.
std::filesystem::path find_program(const std::string& name, std::string_view path);

// Returns whether `file` is a regular file that this user may execute.
bool is_program(const std::filesystem::path& file);

}  // namespace graft::toolchain
