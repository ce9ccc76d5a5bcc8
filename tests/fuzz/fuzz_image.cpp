// Any bytes as an image of any kind: LTO-IR, fatbin, ELF, archive and PTX readers, one inside the other.
#include <cstddef>
#include <cstdint>

#include "format/image_kind.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)graft::format::examine_image(std::as_bytes(std::span(data, size)));
  return 0;
}
