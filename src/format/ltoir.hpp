// Reads the header of LTO-IR, the only part that is not encoded.
//
//     0   u32  7F 4E 43 ED   magic (ED 43 4E 7F in the file)
//     4   u8   container version: major, minor
//     6   u8   NVVM IR version: major, minor; grows with every release of CUDA
//     8   u8   debug version: major, minor
//     10  u8   LLVM version: major, minor
//     12  u16  size of the header
//     16  u32  offset of the end of the pairs
//     ..       pairs of u16, tag and value: tag 1 has 10 * architecture, tag 0x20 has 1 for the suffix 'a'
//
// NVIDIA does not document the format. These fields were found by comparing what NVRTC 12.0 to 13.5 and nvcc 13.0 write
// for several architectures. The code and the names after the header are encoded and unreadable. The suffix 'f' is not
// recorded.
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

  // The release of CUDA that wrote the LTO-IR, by its NVVM IR version. For an unknown version, the newest known release
  // that writes an older one. nvJitLink accepts LTO-IR of its own major version, up to its own release.
  toolchain::Version producer() const;
};

bool is_ltoir(std::span<const std::byte> bytes) noexcept;
Outcome<LtoIr> read_ltoir(std::span<const std::byte> bytes);

// The oldest release of CUDA that writes this container version. For LTO-IR whose header cannot be read, such as a
// compressed fatbin entry.
toolchain::Version oldest_producer(const toolchain::Version& container);

}  // namespace graft::format
