// Fuzzes the reader of the loader's cache of library paths, /etc/ld.so.cache.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "toolchain/loader_path.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string cache(reinterpret_cast<const char*>(data), size);
  for (const auto& folder : graft::toolchain::folders_in_cache(cache, {"libnvrtc.so.13", "libnvJitLink.so.13"}))
    if (!folder.is_absolute()) std::abort();
  return 0;
}
