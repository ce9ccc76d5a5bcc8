// Fuzzes the check of a shared library's headers, which runs before the loader maps the file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "toolchain/library_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("library", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  (void)graft::toolchain::fault_of_library("/proc/self/fd/" + std::to_string(file));
  return 0;
}
