// Fuzzes the readers of mangled names and of the types in them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "format/mangled.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)graft::format::read_function_name(text);
  (void)graft::format::read_function_name("_Z" + text);
  (void)graft::format::canonical_type(text);
  return 0;
}
