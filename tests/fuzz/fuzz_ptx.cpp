// Fuzzes the PTX reader, once with the input alone and once with valid PTX before the input.
#include <cstddef>
#include <cstdint>
#include <string>

#include "format/ptx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)graft::format::read_ptx(text);
  (void)graft::format::read_ptx(".version 9.0\n.target sm_75\n" + text);
  return 0;
}
