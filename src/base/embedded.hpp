// The files that were built into the library: the blocks and policy fragments as LTO-IR, their source, the adapter,
// device.h, and the toolkit's half and bfloat16 headers. cmake/embed.cmake makes the table.
#pragma once

#include <span>
#include <string_view>

namespace graft::base {

struct EmbeddedFile {
  std::string_view name;  // "adapter.h", "elementwise/transform.ltoir", "cuda_fp16.h"
  std::string_view text;  // its bytes
};

// All of them, sorted by name.
std::span<const EmbeddedFile> embedded_files();

// The file of that name; empty when there is none.
std::string_view embedded_file(std::string_view name);

}  // namespace graft::base
