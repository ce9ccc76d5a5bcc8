// Defines real_world(). It returns the SearchWorld with which a search reads the real machine: its environment, file
// system and loader folders. real_world() copies the environment variables, so that later changes of the environment do
// not affect a search.
#include <link.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/format.hpp"
#include "toolchain/installation.hpp"
#include "toolchain/library_file.hpp"
#include "toolchain/loader_path.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

using Folders = std::vector<fs::path>;

// Adds the folders of toolkit libraries that the process has already loaded, because the application chose these
// libraries. Reads the loader's list of loaded objects and does not call dlopen, which would search the disk for a
// library that is not loaded.
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

Folders loader_folders() {
  std::vector<std::string> sonames;
  for (const int major : kMajorVersions) {
    sonames.push_back(base::format("libnvrtc.so.{}", major));
    sonames.push_back(base::format("libnvJitLink.so.{}", major));
  }
  Folders folders;
  add_folders_of_loaded(sonames, folders);
  for (const fs::path& folder : loader_search_path()) add_once(folders, folder);
  for (const fs::path& folder : cached_folders(sonames)) add_once(folders, folder);
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
  keep(kPrivateLinker);
  std::ranges::for_each(kToolkitVariables, keep);
  std::ranges::for_each(kPythonVariables, keep);
  const auto environment = [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(std::string_view(name));
    return found == variables.end() ? std::string() : found->second;
  };
  return {environment, exists, list, loader_folders, canonical, fault_of_library};
}

}  // namespace graft::toolchain
