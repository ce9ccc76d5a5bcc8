// Finds the device code in a callback binary. Containers nest:
//
//     archive   members: host objects, cubins, fatbins, PTX, LTO-IR
//     object    a host object; nvcc puts fatbins into its sections
//     fatbin    PTX, cubins and LTO-IR for several architectures, each of them compressed or not
//
// visit_code() is the only walk through these containers. It calls a visitor for each unit of device code: a PTX text,
// a cubin or a unit of LTO-IR, for one architecture. There are two visitors. binary_contents.cpp describes a file to
// the user, and link/callback_binary.cpp decides whether the linker can use a callback binary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/version.hpp"
#include "format/elf.hpp"
#include "format/fatbin.hpp"
#include "format/file_kind.hpp"
#include "format/outcome.hpp"
#include "format/ptx.hpp"
#include "graft/architecture.hpp"

namespace graft::format {

// The facts about a unit of device code. CodeKind::Other stands for a fatbin entry of a kind that graft does not know.
struct DeviceCode {
  CodeKind kind = CodeKind::Other;
  // For code in a fatbin, the architecture that the fatbin's entry names. The entry names the suffix ('a', 'f') even if
  // the code itself does not.
  Architecture architecture = {};
  std::uint64_t size = 0;  // of the code after decompression, in bytes
  bool is_compressed = false;
  bool is_relocatable = true;  // false for a finished cubin, which cannot be linked any more
  // For LTO-IR, the release of CUDA that wrote it; for LTO-IR in a fatbin, the oldest release that it can be from. 0.0
  // for other code.
  Version producer = {};
  std::string_view options = {};  // FatbinEntry::options
  std::string_view member = {};   // the archive member that contains this code; empty outside of archives
};

struct CodeUnit {
  DeviceCode code;
  std::span<const std::byte> bytes = {};  // as the file contains them, compressed or not
  bool is_in_fatbin = false;
  // The contents of the PTX or of the cubin. Outside of fatbins, visit_code() reads the contents before it calls
  // visit(), because only the contents show the architecture. For code in a fatbin both members are empty until
  // read_code() is called.
  std::optional<Ptx> ptx = {};
  std::optional<ElfFile> cubin = {};
};

// Reads the contents of the unit into `ptx` or `cubin`, and sets is_relocatable. Leaves both empty for LTO-IR, for
// compressed code and for code of an unknown kind, which graft cannot read. Returns an error if the code is damaged.
std::optional<FormatError> read_code(CodeUnit& unit);

// Receives the units that visit_code() finds. visit_code() ends when visit() or visit_object() returns an error.
class CodeVisitor {
 public:
  virtual ~CodeVisitor() = default;
  virtual std::optional<FormatError> visit(CodeUnit& unit) = 0;
  // Called for a host object, before the visits to the units in its sections.
  virtual std::optional<FormatError> visit_object(const ElfFile&) { return std::nullopt; }
  // Called for source, NVVM IR and packs, which other readers read.
  virtual void skip(FileKind) {}
};

// Which parts of an archive or a host object visit_code() reads. The scopes differ only for parts that may have nothing
// to do with CUDA.
enum class CodeScope : std::uint8_t {
  // In an archive, the members of all kinds except archives. In a host object, the sections that have nvcc's names for
  // device code, so that `graft inspect` reports damage in such a section.
  Everything,
  // In an archive, ELF files only, because a linker's library is an archive of objects. In a host object, the sections
  // that begin like a fatbin, whatever their names. A section with other content is skipped, so graft refuses no object
  // that the linker accepts.
  LinkerInputs,
};

struct CodeError {
  FormatError error;
  std::string_view member;  // the archive member that has the flaw; empty outside of archives
};

// Visits all device code in the bytes of a file of this kind. If a part is damaged, visit_code() ends and returns the
// error; it has then visited the units in front of the damage. All string_views and spans are views into `bytes`.
std::optional<CodeError> visit_code(FileKind kind, std::span<const std::byte> bytes, CodeScope scope,
                                    CodeVisitor& visitor);

}  // namespace graft::format
