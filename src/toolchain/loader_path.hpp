// The folders in which the dynamic loader (ld.so) looks for a library that is opened by its soname.
//
// graft needs the list of these folders for two reasons. The search for toolkits looks into the folders without opening
// a library. And graft must skip a folder that is given by a relative path, because a relative path means the working
// folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace graft::toolchain {

// Adds `folder` unless it is empty or already in the list.
void add_once(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder);

// Returns the loader's search path for the program and for graft's own library, as dlinfo reports it: the rpaths of
// both, LD_LIBRARY_PATH and the system's folders. Each folder is in the list once. The list may contain relative
// folders; an empty entry of a path appears as ".".
std::vector<std::filesystem::path> loader_search_path();

// Returns the folders in which ldconfig's cache (/etc/ld.so.cache) lists libraries with these sonames. All folders are
// absolute.
std::vector<std::filesystem::path> cached_folders(const std::vector<std::string>& sonames);

// Like cached_folders, for a cache file with the content `cache`. The content may be damaged.
std::vector<std::filesystem::path> folders_in_cache(const std::string& cache, const std::vector<std::string>& sonames);

}  // namespace graft::toolchain
