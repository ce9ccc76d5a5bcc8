// The folders in which the dynamic loader (ld.so) looks for a library that is opened by its soname.
//
// graft needs the list for two reasons: the search for toolkits looks at these folders without opening a library, and
// folders given by a relative path must be left out, because they mean the working folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graft::toolchain {

// Adds `folder` unless it is empty or already in the list.
void add_once(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder);

// The loader's search path for the program and for graft's own library, as dlinfo reports it: their rpaths,
// LD_LIBRARY_PATH and the system's folders, each once. Contains relative folders too; an empty entry is ".".
std::vector<std::filesystem::path> loader_search_path();

// The folders in which ldconfig's cache (/etc/ld.so.cache) lists libraries with these names. All are absolute.
std::vector<std::filesystem::path> cached_folders(const std::vector<std::string>& sonames);

// The same for the content of such a cache file. The content may be damaged.
std::vector<std::filesystem::path> folders_in_cache(const std::string& cache, const std::vector<std::string>& sonames);

}  // namespace graft::toolchain
