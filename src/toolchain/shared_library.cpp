// A handle of dlopen, never given back: see the header.
#include "toolchain/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace graft::toolchain {

SharedLibrary SharedLibrary::open(const std::filesystem::path& name) {
  SharedLibrary library;
  library.handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle_) {
    const char* reason = ::dlerror();  // of this thread
    library.failure_ = reason ? reason : name.string() + ": cannot be opened";
  }
  return library;
}

std::filesystem::path SharedLibrary::path() const {
  const link_map* map = nullptr;
  if (!handle_ || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  return map->l_name;
}

void* SharedLibrary::find(const char* symbol) const noexcept {
  return handle_ ? ::dlsym(handle_, symbol) : nullptr;
}

}  // namespace graft::toolchain
