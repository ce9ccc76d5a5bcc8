// Writes the bytes of a shared object to a file in memory (memory_file.hpp). dlopen then loads this file by its path
// under /proc/self/fd.
#include "base/memory_object.hpp"

#include <dlfcn.h>

#include <atomic>
#include <optional>
#include <system_error>

#include "base/memory_file.hpp"

namespace graft::base {
namespace {

// Returns a path to the open file. If two files had the same path, dlopen would return the object that it loaded first,
// and the paths would be equal whenever the system reuses a descriptor number. So each call adds a different sequence
// of redundant slashes and dots, which makes each path unique.
std::string unique_path(int descriptor) {
  static std::atomic<unsigned> counter{0};
  std::string path = "/proc/self/";
  for (unsigned bits = ++counter; bits != 0; bits >>= 1) path += bits & 1 ? "./" : "/";
  return path + "fd/" + std::to_string(descriptor);
}

}  // namespace

MemoryObject::MemoryObject(std::span<const std::byte> object) {
  std::optional<MemoryFile> file;
  try {
    file.emplace("graft", object);
  } catch (const std::system_error& error) {
    failure_ = "cannot create a file in memory: " + error.code().message();
    is_system_failure_ = true;
    return;
  }
  const std::string path = unique_path(file->descriptor());
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return;
  const char* reason = ::dlerror();
  failure_ = reason != nullptr ? reason : "dlopen failed and gave no reason";
  if (failure_.starts_with(path + ": ")) failure_.erase(0, path.size() + 2);
}

MemoryObject::~MemoryObject() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

void* MemoryObject::find(const char* symbol) const noexcept {
  return handle_ != nullptr ? ::dlsym(handle_, symbol) : nullptr;
}

}  // namespace graft::base
