// Archives as `ar` writes them: nvcc -lib's .a files.
//
//     !<arch>\n   then members:   name[16] time[12] user[6] group[6] mode[8] size[10] `\n   bytes, padded to even
//
// Names end with '/'; a longer name is "/offset" into the member "//". The member "/" lists symbols. Names of BSD's
// shape
// ("#1/20") are read too.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "format/outcome.hpp"

namespace graft::format {

struct ArchiveMember {
  std::string_view name;
  std::span<const std::byte> bytes;
};

bool is_archive(std::span<const std::byte> bytes) noexcept;
// The members without the symbol and name tables, in their order; they view the bytes.
Outcome<std::vector<ArchiveMember>> read_archive(std::span<const std::byte> bytes);

}  // namespace graft::format
