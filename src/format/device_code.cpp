// Class Walk has one function per kind of file. Each function calls the reader of its format. Then it visits the file
// as one unit of device code, or, for a container, walks through the files inside the container.
#include "format/device_code.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "format/archive.hpp"
#include "format/ltoir.hpp"

namespace graft::format {
namespace {

using Bytes = std::span<const std::byte>;
using Failure = std::optional<FormatError>;

// The sections of a host object in which nvcc puts device code. .nv_fatbin contains linked code, and __nv_relfatbin
// contains relocatable code (-rdc=true).
constexpr std::array<std::string_view, 2> kFatbinSections = {".nv_fatbin", "__nv_relfatbin"};

class Walk {
 public:
  Walk(CodeScope scope, CodeVisitor& visitor) : scope_(scope), visitor_(visitor) {}

  Failure file(FileKind kind, Bytes bytes) {
    switch (kind) {
      case FileKind::LtoIr:
        return ltoir(bytes);
      case FileKind::Fatbin:
        return fatbin(bytes);
      case FileKind::Ptx:
        return ptx(bytes);
      case FileKind::Cubin:
      case FileKind::Object:
        return elf(bytes);
      case FileKind::Archive:
        return archive(bytes);
      case FileKind::Source:
      case FileKind::NvvmText:
      case FileKind::NvvmBitcode:
      case FileKind::Pack:
        break;
    }
    visitor_.skip(kind);
    return std::nullopt;
  }

  std::string_view member() const { return member_; }

 private:
  Failure visit(CodeUnit& unit) {
    unit.code.member = member_;
    return visitor_.visit(unit);
  }

  Failure ltoir(Bytes bytes) {
    const Outcome<LtoIr> read = read_ltoir(bytes);
    if (!read) return read.error();
    CodeUnit unit{.code = {.kind = CodeKind::LtoIr,
                           .architecture = read->architecture,
                           .size = bytes.size(),
                           .producer = read->producer()},
                  .bytes = bytes};
    return visit(unit);
  }

  Failure ptx(Bytes bytes) {
    Outcome<Ptx> read = read_ptx(base::as_text(bytes));
    if (!read) return read.error();
    CodeUnit unit{.code = {.kind = CodeKind::Ptx, .architecture = read->target, .size = bytes.size()}, .bytes = bytes};
    unit.ptx = std::move(*read);
    return visit(unit);
  }

  // Reads a cubin or a host object.
  Failure elf(Bytes bytes) {
    Outcome<ElfFile> read = read_elf(bytes);
    if (!read) return read.error();
    if (!read->is_cubin()) return object(*read);
    CodeUnit unit{.code = {.kind = CodeKind::Cubin,
                           .architecture = read->architecture(),
                           .size = bytes.size(),
                           .is_relocatable = read->is_relocatable},
                  .bytes = bytes};
    unit.cubin = std::move(*read);
    return visit(unit);
  }

  Failure object(const ElfFile& file) {
    if (Failure failure = visitor_.visit_object(file)) return failure;
    for (const Bytes section : fatbins_of(file))
      if (Failure failure = fatbin(section)) return failure;
    return std::nullopt;
  }

  std::vector<Bytes> fatbins_of(const ElfFile& object) const {
    std::vector<Bytes> found;
    if (scope_ == CodeScope::LinkerInputs) {
      for (const ElfSection& section : object.sections)
        if (is_fatbin(section.bytes)) found.push_back(section.bytes);
      return found;
    }
    for (const std::string_view name : kFatbinSections) {
      const auto section = std::ranges::find_if(
          object.sections, [&](const ElfSection& s) { return s.name == name && !s.bytes.empty(); });
      if (section != object.sections.end()) found.push_back(section->bytes);
    }
    return found;
  }

  Failure fatbin(Bytes bytes) {
    const Outcome<std::vector<FatbinEntry>> read = read_fatbin(bytes);
    if (!read) return read.error();
    for (const FatbinEntry& entry : *read) {
      CodeUnit unit{.code = {.kind = entry.kind,
                             .architecture = entry.architecture,
                             .size = entry.size,
                             .is_compressed = entry.is_compressed,
                             .options = entry.options},
                    .bytes = entry.payload,
                    .is_in_fatbin = true};
      if (entry.kind == CodeKind::LtoIr) unit.code.producer = oldest_producer(entry.version);
      if (Failure failure = visit(unit)) return failure;
    }
    return std::nullopt;
  }

  // Skips members of unknown kinds, because an archive may contain files that have nothing to do with CUDA.
  Failure archive(Bytes bytes) {
    const Outcome<std::vector<ArchiveMember>> read = read_archive(bytes);
    if (!read) return read.error();
    for (const ArchiveMember& member : *read) {
      if (scope_ == CodeScope::LinkerInputs && !is_elf(member.bytes)) continue;
      const Outcome<FileKind> kind = file_kind(member.bytes);
      if (!kind || *kind == FileKind::Archive) continue;
      member_ = member.name;
      if (Failure failure = file(*kind, member.bytes)) {
        failure->offset += static_cast<std::size_t>(member.bytes.data() - bytes.data());
        return failure;
      }
    }
    return std::nullopt;
  }

  CodeScope scope_;
  CodeVisitor& visitor_;
  std::string_view member_;  // the archive member that is being read
};

Failure read_cubin_file(CodeUnit& unit) {
  Outcome<ElfFile> read = read_elf(unit.bytes);
  if (!read) return read.error();
  if (!read->is_cubin())
    return FormatError{Flaw::Damaged, "the fatbin contains a cubin that is not an ELF file for CUDA", 0};
  unit.code.is_relocatable = read->is_relocatable;
  unit.cubin = std::move(*read);
  return std::nullopt;
}

Failure read_ptx_text(CodeUnit& unit) {
  Outcome<Ptx> read = read_ptx(base::as_text(unit.bytes));
  if (!read) return read.error();
  unit.ptx = std::move(*read);
  return std::nullopt;
}

}  // namespace

std::optional<FormatError> read_code(CodeUnit& unit) {
  if (unit.code.is_compressed || unit.ptx || unit.cubin) return std::nullopt;
  if (unit.code.kind == CodeKind::Ptx) return read_ptx_text(unit);
  if (unit.code.kind == CodeKind::Cubin) return read_cubin_file(unit);
  return std::nullopt;
}

std::optional<CodeError> visit_code(FileKind kind, std::span<const std::byte> bytes, CodeScope scope,
                                    CodeVisitor& visitor) {
  Walk walk(scope, visitor);
  Failure failure = walk.file(kind, bytes);
  if (!failure) return std::nullopt;
  return CodeError{std::move(*failure), walk.member()};
}

}  // namespace graft::format
