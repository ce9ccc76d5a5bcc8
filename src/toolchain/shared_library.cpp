// Opens libraries with dlopen. open() searches the folders for a soname itself and passes a full path to dlopen. The
// loader's own search would include relative folders, and would load a truncated file.
#include "toolchain/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/immortal.hpp"
#include "base/memory_object.hpp"
#include "base/read_file.hpp"
#include "toolchain/library_file.hpp"
#include "toolchain/loader_path.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;

namespace {

// Identifies the content of a file: device, inode, size and modification time.
using FileState = std::tuple<dev_t, ino_t, off_t, time_t, long>;

FileState state_of(const fs::path& file) {
  struct stat found {};
  ::stat(file.c_str(), &found);
  return {found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

}  // namespace

SharedLibrary SharedLibrary::open_copy(const fs::path& file) {
  static std::mutex mutex;
  static auto& copies = base::immortal<std::map<FileState, void*>>();
  SharedLibrary library;
  library.failure_ = fault_of_library(file);
  if (!library.failure_.empty()) return library;
  const std::lock_guard lock(mutex);
  void*& copy = copies[state_of(file)];
  if (copy == nullptr) {
    const base::FileContent bytes = base::read_file(file);
    if (!bytes) {
      library.failure_ = base::format("{}: {}", file.string(), bytes.problem());
      return library;
    }
    base::MemoryObject object(base::as_bytes(*bytes));
    library.failure_ = object.failure();
    copy = object.release();
  }
  library.handle_ = copy;
  return library;
}

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
  const std::string_view name = map->l_name;
  return name.starts_with("/proc/self/") ? fs::path() : fs::path(name);
}

void* SharedLibrary::find(const char* symbol) const noexcept {
  return handle_ ? ::dlsym(handle_, symbol) : nullptr;
}

}  // namespace graft::toolchain
