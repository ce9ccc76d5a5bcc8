// Fuzzes the readers of callback binaries (LTO-IR, fatbin, ELF, archive, PTX). One target fuzzes all of these readers,
// because they call each other.
#include <cstddef>
#include <cstdint>

#include "format/binary_contents.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)graft::format::read_binary_contents(std::as_bytes(std::span(data, size)));
  return 0;
}
