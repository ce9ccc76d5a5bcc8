// Reads the header of LTO-IR. All other parts of LTO-IR are encoded and cannot be read.
//
//     0   u32  7F 4E 43 ED   magic (ED 43 4E 7F in the file)
//     4   u8   container version: major, minor
//     6   u8   NVVM IR version: major, minor; grows with every release of CUDA
//     8   u8   debug version: major, minor
//     10  u8   LLVM version: major, minor
//     12  u16  size of the header
//     16  u32  offset of the end of the pairs
//     ..       pairs of u16 tag and u16 value. The value of tag 1 is 10 * architecture. The value of tag 0x20 is 1 for
//              an architecture with the suffix 'a'.
//
// The number in front of a field is its offset in bytes. NVIDIA does not document the format. The fields were found by
// comparing what NVRTC 12.0 to 13.5 and nvcc 13.0 write for several architectures. The header does not record the
// suffix 'f'.
#pragma once

#include <cstddef>
#include <span>

#include "core/version.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"

namespace graft::format {

struct LtoIr {
  Architecture architecture;
  Version container;  // 1.65 for CUDA 13.0
  Version nvvm;       // 2.98 for CUDA 13.0

  // The release of CUDA that wrote the LTO-IR, derived from the NVVM IR version. For an NVVM IR version that graft does
  // not know, the result is the newest release that graft knows to write an older NVVM IR version. nvJitLink accepts
  // LTO-IR that was written by its own release or an earlier release of the same major version.
  Version producer() const;
};

bool is_ltoir(std::span<const std::byte> bytes) noexcept;
Outcome<LtoIr> read_ltoir(std::span<const std::byte> bytes);

// The oldest release of CUDA that writes this container version. Used for LTO-IR inside a fatbin: the payload may be
// compressed, so its own header cannot be read, but the fatbin states the container version beside the payload.
Version oldest_producer(const Version& container);

}  // namespace graft::format
