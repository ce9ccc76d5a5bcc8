// Gives access to the files that are compiled into the library. They are the building blocks (graft's own device code
// around a callback) and their tuning fragments (small files, each of which sets one number of a kernel's tuning to one
// value) as LTO-IR, one building block as PTX, the source code of the building blocks and fragments, graft's own device
// headers (such as adapter.h and device.h), the standard headers that NVRTC lacks, and the toolkit's half and bfloat16
// headers. building_blocks/CMakeLists.txt lists the files, and cmake/Embed.cmake generates the table of them.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace graft::base {

struct EmbeddedFile {
  // For example "graft/adapter.h", "canary.ltoir", "std/array" or "cuda_fp16.h".
  std::string_view name;
  // The bytes of the file.
  std::string_view text;
};

// The folders of the copies of the building blocks' LTO-IR: the names of a copy's files begin with its folder. The
// compiler of the toolkit that built graft made the first copy. An NVRTC of CUDA 12 made the second copy, for linkers
// of CUDA 12; it is embedded only if the build had such an NVRTC (GRAFT_OLDER_NVRTC).
inline constexpr std::array<std::string_view, 2> kBlockFolders = {"", "older/"};

// Returns all embedded files, sorted by name.
std::span<const EmbeddedFile> embedded_files();

// Returns the bytes of the file with this name, or an empty text if there is no such file.
std::string_view embedded_file(std::string_view name);

}  // namespace graft::base
