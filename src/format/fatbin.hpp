// Reads fat binaries: containers of PTX, cubins and LTO-IR for several architectures.
//
//     container:  u32 BA55ED50, u16 version, u16 header size, u64 size of the entries
//     entry:      0   u16  kind: 1 PTX, 2 cubin, 8 LTO-IR
//                 4   u32  size of this header          8   u64  size of the payload with padding
//                 16  u32  compressed size, 0 when the payload is not compressed
//                 20  u32  offset, in this header, of a record about the compiler's options; 0 if there is none
//                 24  u16  version of the payload: minor, major
//                 28  u32  architecture
//                 40  u64  flags: 0x2000 LZ4, 0x8000 zstd, 0x100000 suffix 'a', 0x200000 suffix 'f'
//                 56  u64  size before compression
//
//     options:    u32 offset in the entry's header and u32 size of a text: "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1"
//
// The number in front of an entry's field is the field's offset in bytes. A file or a section may contain several
// containers in sequence. For example, the fatbin section of a linked program contains several containers. NVIDIA does
// not document the format. This description is from the output of nvcc 13.0. The suffix 'f' came with CUDA 12.9, zstd
// with CUDA 13.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/version.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"

namespace graft::format {

enum class CodeKind : std::uint8_t { Ptx, Cubin, LtoIr, Other };

struct FatbinEntry {
  CodeKind kind = CodeKind::Other;
  Architecture architecture;
  Version version;  // for PTX the PTX version (9.0), for LTO-IR the container version (ltoir.hpp)
  bool is_compressed = false;
  std::string_view options = {};  // for LTO-IR, the floating-point flags; empty if the entry does not record them
  std::uint64_t size = 0;         // of the payload after decompression, in bytes
  // The bytes as the file contains them. A compressed payload has no padding and is not decompressed; any other
  // payload includes its padding.
  std::span<const std::byte> payload;
};

bool is_fatbin(std::span<const std::byte> bytes) noexcept;
// The entries of all containers in sequence. Payloads are views into `bytes`.
Outcome<std::vector<FatbinEntry>> read_fatbin(std::span<const std::byte> bytes);

}  // namespace graft::format
