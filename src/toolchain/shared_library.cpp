// Opens libraries with dlopen. open() searches the folders for a soname itself and passes a full path to dlopen. The
// loader's own search would include relative folders, and would load a truncated file.
#include "toolchain/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/format.hpp"
#include "toolchain/library_file.hpp"
#include "toolchain/loader_path.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;

SharedLibrary SharedLibrary::open(const fs::path& name) {
  SharedLibrary library;
  if (name.has_parent_path()) library.load_file(name);
  else if (!library.load(name, RTLD_NOLOAD)) library.search(name);
  return library;
}

SharedLibrary SharedLibrary::open_by_loader(const std::string& soname) {
  SharedLibrary library;
  if (library.load(soname, RTLD_NOLOAD)) return library;  // the application has already loaded the library
  const std::vector<fs::path> folders = loader_search_path();
  if (!std::ranges::all_of(folders, &fs::path::is_absolute)) return open(soname);
  library.load(soname);
  return library;
}

bool SharedLibrary::load(const fs::path& name, int flags) {
  handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
  if (handle_) {
    failure_.clear();
  } else {
    const char* reason = ::dlerror();  // dlerror() reports the last error of this thread
    failure_ = reason ? reason : name.string() + ": cannot be opened";
  }
  return handle_ != nullptr;
}

bool SharedLibrary::load_file(const fs::path& file) {
  failure_ = fault_of_library(file);
  return failure_.empty() && load(file);
}

void SharedLibrary::search(const std::string& soname) {
  std::vector<fs::path> folders = loader_search_path();
  std::string relative;
  for (const fs::path& folder : folders)
    if (folder.is_relative()) relative += base::format("{}{}", relative.empty() ? "" : ", ", folder.string());
  std::erase_if(folders, [](const fs::path& folder) { return folder.is_relative(); });
  for (fs::path& folder : cached_folders({soname})) folders.push_back(std::move(folder));
  std::string first_failure;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (!fs::exists(folder / soname, ignored)) continue;
    if (load_file(folder / soname)) return;
    if (first_failure.empty()) first_failure = failure_;
  }
  failure_ = first_failure;
  // If no folder has the library, and the loader's path has no relative folders, let the loader search too, because the
  // loader knows more folders and gives a better message.
  if (failure_.empty() && relative.empty()) load(soname);
  else if (failure_.empty())
    failure_ =
        base::format("{}: not found on the loader's path, whose relative folders graft ignores: {}", soname, relative);
}

fs::path SharedLibrary::path() const {
  const link_map* map = nullptr;
  if (!handle_ || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  return map->l_name;
}

void* SharedLibrary::find(const char* symbol) const noexcept {
  return handle_ ? ::dlsym(handle_, symbol) : nullptr;
}

}  // namespace graft::toolchain
