// The programs that names mean, by PATH. Its relative and empty entries mean the working folder, which may belong to
// anybody: they are left out. Pure but for the look at files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace graft::toolchain {

// PATH without the entries that are left out; where nothing remains, the system's own folders.
std::string safe_path(std::string_view path);

// The entries that safe_path leaves out, as people read them: "." and "" (the empty one).
std::vector<std::string> left_out_of(std::string_view path);

// The executable file that safe_path(path) means by a name without a slash; empty when there is none.
std::filesystem::path find_program(const std::string& name, std::string_view path);

// Whether it is a file that this user may run.
bool is_program(const std::filesystem::path& file);

}  // namespace graft::toolchain
