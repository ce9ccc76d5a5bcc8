// Where the loader looks for libraries that are asked for by name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graft::toolchain {

// Adds a folder that is not in the list yet; an empty path is none.
void add_once(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder);

// On behalf of the program and of graft's own library: their rpaths, LD_LIBRARY_PATH and the system's folders, by the
// loader's own account, each once. Relative ones are among them: "." stands for an empty entry too.
std::vector<std::filesystem::path> loader_search_path();

// The folders in which ldconfig's cache has libraries of these names. They are absolute.
std::vector<std::filesystem::path> cached_folders(const std::vector<std::string>& sonames);

// The same for the content of such a cache, of which any bytes may be wrong.
std::vector<std::filesystem::path> folders_in_cache(const std::string& cache, const std::vector<std::string>& sonames);

}  // namespace graft::toolchain
