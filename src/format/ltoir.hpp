// The header of LTO-IR: what of it is not encoded.
//
//     0   u32  7F 4E 43 ED   magic (ED 43 4E 7F in the file)
//     4   u8   container version: major, minor
//     6   u8   NVVM IR version: major, minor     grows with every release of CUDA
//     8   u8   debug version: major, minor
//     10  u8   LLVM version: major, minor
//     12  u16  size of the header
//     16  u32  where the scalars end
//     ..       pairs of u16, tag and value: 1 = 10 * architecture, 0x20 = 1 when architecture-specific ('a')
//
// NVIDIA does not document it. Seen by comparing what NVRTC 12.0 to 13.5 and nvcc 13.0 write for several architectures;
// the code behind it is encoded, and so are the names in it. The suffix 'f' leaves no trace.
#pragma once

#include <cstddef>
#include <span>

#include "format/outcome.hpp"
#include "graft/architecture.hpp"
#include "toolchain/version.hpp"

namespace graft::format {

struct LtoIr {
  Architecture architecture;
  toolchain::Version container;  // 1.65 for CUDA 13.0
  toolchain::Version nvvm;       // 2.98 for CUDA 13.0

  // The release of CUDA that wrote it; the newest one known to write an older version where this one is not known.
  // nvJitLink takes LTO-IR of its own major version up to its own release.
  toolchain::Version producer() const;
};

bool is_ltoir(std::span<const std::byte> bytes) noexcept;
Outcome<LtoIr> read_ltoir(std::span<const std::byte> bytes);

// What the container's version alone says: the oldest release of CUDA that writes it.
toolchain::Version oldest_producer(const toolchain::Version& container);

}  // namespace graft::format
