// Fuzzes the readers of compiled images (LTO-IR, fatbin, ELF, archive, PTX), which call one another.
#include <cstddef>
#include <cstdint>

#include "format/file_kind.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)graft::format::examine_image(std::as_bytes(std::span(data, size)));
  return 0;
}
