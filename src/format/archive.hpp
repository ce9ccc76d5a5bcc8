// Reads archives in the format of `ar`, such as the .a files of nvcc -lib.
//
//     archive = "!<arch>\n" member...
//     member  = name[16] time[12] user[6] group[6] mode[8] size[10] "`\n" bytes      padded to an even size
//
// A name ends with '/'. If a name is too long for its field, the field contains "/offset", and the name is at this
// offset in the bytes of the member "//". The member "/" is a symbol table. The reader also accepts BSD's form of long
// names: the field "#1/20" means that the first 20 bytes of the member are its name.
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
