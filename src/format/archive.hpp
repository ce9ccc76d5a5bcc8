// Reads archives in the format of `ar`, such as the .a files of nvcc -lib.
//
//     !<arch>\n   then members:   name[16] time[12] user[6] group[6] mode[8] size[10] `\n   bytes, padded to even
//
// A name ends with '/'. A name that is too long for its field is "/offset", an offset into the text of the member "//".
// The member "/" is a symbol table. BSD's form of long names is read too: with "#1/20" the name is the first 20 bytes
// of the member.
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
// The members in order, without the symbol and name tables. Names and bytes are views into `bytes`.
Outcome<std::vector<ArchiveMember>> read_archive(std::span<const std::byte> bytes);

}  // namespace graft::format
