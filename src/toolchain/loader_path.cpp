// Gets the search path of the program and of graft's library from dlinfo(RTLD_DI_SERINFO). The loader also searches
// ldconfig's cache, which dlinfo does not report, so this file reads the cache itself.
#include "toolchain/loader_path.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/read_file.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
using Folders = std::vector<fs::path>;

void add_once(Folders& folders, const fs::path& folder) {
  if (!folder.empty() && std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
}

namespace {

// Adds the folders that the loader searches for the dependencies of `object`, a handle from dlopen.
void add_search_path(void* object, Folders& folders) {
  Dl_serinfo header;
  if (!object || ::dlinfo(object, RTLD_DI_SERINFOSIZE, &header) != 0) return;
  const auto memory = std::make_unique<std::max_align_t[]>(header.dls_size / sizeof(std::max_align_t) + 1);
  auto* const info = reinterpret_cast<Dl_serinfo*>(memory.get());
  if (::dlinfo(object, RTLD_DI_SERINFOSIZE, info) != 0 || ::dlinfo(object, RTLD_DI_SERINFO, info) != 0) return;
  for (unsigned i = 0; i < info->dls_cnt; ++i) add_once(folders, info->dls_serpath[i].dls_name);
}

// Adds the folders of all libraries with this soname. ldconfig's cache ends with a table of zero-terminated strings,
// which contains the full path of every library.
void add_folders_of_cache(const std::string& soname, const std::string& cache, Folders& folders) {
  const std::string tail = '/' + soname + '\0';
  for (std::size_t at = cache.find(tail); at != cache.npos; at = cache.find(tail, at + 1)) {
    const std::size_t zero = cache.rfind('\0', at);
    const std::size_t start = zero == cache.npos ? 0 : zero + 1;
    if (start < at && cache[start] == '/') add_once(folders, cache.substr(start, at - start));
  }
}

}  // namespace

Folders loader_search_path() {
  Folders folders;
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  add_search_path(program, folders);
  Dl_info self;
  // dladdr finds the file that contains this function: libgraft.so, or the program if graft is linked statically.
  if (::dladdr(reinterpret_cast<void*>(&loader_search_path), &self) != 0) {
    void* const library = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    add_search_path(library, folders);
    if (library) ::dlclose(library);
  }
  if (program) ::dlclose(program);
  return folders;
}

Folders cached_folders(const std::vector<std::string>& sonames) {
  return folders_in_cache(base::read_file("/etc/ld.so.cache").value_or(""), sonames);
}

Folders folders_in_cache(const std::string& cache, const std::vector<std::string>& sonames) {
  Folders folders;
  for (const std::string& soname : sonames) add_folders_of_cache(soname, cache, folders);
  return folders;
}

}  // namespace graft::toolchain
