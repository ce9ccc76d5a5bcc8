// The machine as the search for installations sees it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "toolchain/installation.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

using Folders = std::vector<fs::path>;

void add_once(Folders& folders, const fs::path& folder) {
  if (!folder.empty() && std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
}

// Where the loader searches on behalf of an object: its rpath, LD_LIBRARY_PATH and the system's folders, by the
// loader's own account.
void add_search_path(void* object, Folders& folders) {
  Dl_serinfo header;
  if (!object || ::dlinfo(object, RTLD_DI_SERINFOSIZE, &header) != 0) return;
  const auto memory = std::make_unique<std::max_align_t[]>(header.dls_size / sizeof(std::max_align_t) + 1);
  auto* const info = reinterpret_cast<Dl_serinfo*>(memory.get());
  if (::dlinfo(object, RTLD_DI_SERINFOSIZE, info) != 0 || ::dlinfo(object, RTLD_DI_SERINFO, info) != 0) return;
  for (unsigned i = 0; i < info->dls_cnt; ++i) add_once(folders, info->dls_serpath[i].dls_name);
}

// Of libraries that the process has loaded already: they are the ones that the application chose. Asked of the loader's
// list, because dlopen would search for a library that is not in it.
void add_folders_of_loaded(const std::vector<std::string>& sonames, Folders& folders) {
  std::vector<fs::path> loaded;
  const auto note = [](dl_phdr_info* object, std::size_t, void* paths) {
    static_cast<std::vector<fs::path>*>(paths)->emplace_back(object->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(note, &loaded);
  for (const fs::path& file : loaded)
    if (std::ranges::find(sonames, file.filename().string()) != sonames.end()) add_once(folders, file.parent_path());
}

// ldconfig's cache ends in a table of zero-terminated strings, among them the full path of every library.
void add_folders_of_cache(const std::string& soname, const std::string& cache, Folders& folders) {
  const std::string tail = '/' + soname + '\0';
  for (std::size_t at = cache.find(tail); at != cache.npos; at = cache.find(tail, at + 1)) {
    const std::size_t zero = cache.rfind('\0', at);
    const std::size_t start = zero == cache.npos ? 0 : zero + 1;
    if (start < at && cache[start] == '/') add_once(folders, cache.substr(start, at - start));
  }
}

Folders loader_folders() {
  std::vector<std::string> sonames;
  for (const int major : kMajorVersions) {
    sonames.push_back(fmt::format("libnvrtc.so.{}", major));
    sonames.push_back(fmt::format("libnvJitLink.so.{}", major));
  }
  Folders folders;
  add_folders_of_loaded(sonames, folders);
  void* const program = ::dlopen(nullptr, RTLD_LAZY);
  add_search_path(program, folders);
  Dl_info self;
  if (::dladdr(reinterpret_cast<void*>(&loader_folders), &self) != 0) {  // graft's own library, when it is one
    void* const library = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    add_search_path(library, folders);
    if (library) ::dlclose(library);
  }
  if (program) ::dlclose(program);

  const std::string cache = base::read_file("/etc/ld.so.cache").value_or("");
  for (const std::string& soname : sonames) add_folders_of_cache(soname, cache, folders);
  return folders;
}

bool exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<fs::path> list(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  return entries;
}

fs::path canonical(const fs::path& path) {
  std::error_code error;
  fs::path resolved = fs::canonical(path, error);
  return error ? path : resolved;
}

}  // namespace

SearchWorld real_world() {
  std::map<std::string, std::string, std::less<>> variables;
  const auto keep = [&](const char* name) { variables[name] = base::environment(name); };
  keep(kGraftPath);
  std::ranges::for_each(kToolkitVariables, keep);
  std::ranges::for_each(kPythonVariables, keep);
  const auto environment = [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(std::string_view(name));
    return found == variables.end() ? std::string() : found->second;
  };
  return {environment, exists, list, loader_folders, canonical};
}

}  // namespace graft::toolchain
