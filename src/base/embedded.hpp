// The files that were built into the library: the building blocks and their tuning fragments as LTO-IR, their source,
// the adapter, device.h, and the toolkit's half and bfloat16 headers. cmake/Embed.cmake generates the table.
#pragma once

#include <span>
#include <string_view>

namespace graft::base {

struct EmbeddedFile {
  std::string_view name;  // "adapter.h", "elementwise/transform.ltoir", "cuda_fp16.h"
  std::string_view text;  // its bytes
};

// All embedded files, sorted by name.
std::span<const EmbeddedFile> embedded_files();

// The bytes of the file with this name; empty when there is no such file.
std::string_view embedded_file(std::string_view name);

}  // namespace graft::base
