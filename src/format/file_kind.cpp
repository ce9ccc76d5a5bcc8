// Examines a callback's file. file_kind finds the kind from the first bytes, and the Examiner calls the reader for the
// kind. Containers nest: an archive's members may be objects, an object has fatbins in its sections, and a fatbin
// contains PTX, cubins and LTO-IR. The Examiner collects the device code and the function names of all of them.
#include "format/file_kind.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "format/archive.hpp"
#include "format/byte_view.hpp"
#include "format/elf.hpp"
#include "format/ltoir.hpp"
#include "format/pack.hpp"
#include "format/ptx.hpp"

namespace graft::format {
namespace {

constexpr std::string_view kBitcodeMagic = "BC\xc0\xde";
// The sections of a host object in which nvcc puts device code. The first contains linked code, the second relocatable
// code (-rdc=true).
constexpr std::array<std::string_view, 2> kFatbinSections = {".nv_fatbin", "__nv_relfatbin"};

// Whether the bytes are text: the only control characters are white space. Zero bytes at the end are allowed, because
// some tools write a terminating zero.
bool is_text(std::string_view bytes) {
  while (bytes.ends_with('\0')) bytes.remove_suffix(1);
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code >= ' ' ? code != 0x7f : code >= '\t' && code <= '\r';
  });
}

// Decides by the first line that is not a comment. An LLVM module begins with a line like `target triple = "..."`,
// `define float @f(float %x) {` or `%S = type { float }`, and no line of C++ has one of these forms.
bool is_llvm_text(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;
       at = text.find_first_not_of(kBlank, at)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (!line.starts_with(';')) {
      const bool has_global = line.find('@') != std::string_view::npos;
      return line.starts_with("source_filename =") || line.starts_with("target triple =") ||
             line.starts_with("target datalayout =") || line.starts_with('@') || line.starts_with('!') ||
             (line.starts_with('%') && line.find("= type") != std::string_view::npos) ||
             ((line.starts_with("define ") || line.starts_with("declare ")) && has_global);
    }
    at += line.size();
  }
  return false;
}

// The symbol of the kernel that a host stub launches; empty if `symbol` is not a host stub. For example,
// "_Z25__device_stub__Z6kernelPfPf" is the mangled name of a function whose name has the 25 letters
// "__device_stub__Z6kernelPf", so the kernel is "_Z6kernelPf".
std::string_view kernel_of_stub(std::string_view symbol) {
  constexpr std::string_view kStub = "__device_stub_";
  if (!symbol.starts_with("_Z")) return {};
  symbol.remove_prefix(2);
  std::size_t length = 0;
  const auto [end, failure] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
  if (failure != std::errc{}) return {};
  symbol.remove_prefix(static_cast<std::size_t>(end - symbol.data()));
  if (!symbol.starts_with(kStub)) return {};
  return symbol.substr(0, length).substr(std::min(kStub.size(), length));
}

class Examiner {
 public:
  Outcome<ImageInfo> examine(std::span<const std::byte> bytes) {
    const Outcome<FileKind> kind = file_kind(bytes);
    if (!kind) return kind.error();
    info_.kind = *kind;
    info_.functions_are_known = true;
    if (!add(*kind, bytes)) return error_;
    info_.functions.assign(functions_.begin(), functions_.end());
    return std::move(info_);
  }

 private:
  bool fail(const FormatError& error, std::size_t offset = 0) {
    error_ = error;
    error_.offset += offset;
    return false;
  }

  bool add(FileKind kind, std::span<const std::byte> bytes) {
    switch (kind) {
      case FileKind::LtoIr:
        return add_ltoir(bytes);
      case FileKind::Fatbin:
        return add_fatbin(bytes);
      case FileKind::Ptx:
        return add_ptx(bytes, {});
      case FileKind::Cubin:
        return add_cubin(bytes, {});
      case FileKind::Object:
        return add_object(bytes);
      case FileKind::Archive:
        return add_archive(bytes);
      case FileKind::Source:
      case FileKind::NvvmText:
      case FileKind::NvvmBitcode:
      case FileKind::Pack:
        break;
    }
    info_.functions_are_known = false;
    return true;
  }

  void add_code(DeviceCode code) {
    code.member = member_;
    info_.code.push_back(code);
  }

  bool add_ltoir(std::span<const std::byte> bytes) {
    const Outcome<LtoIr> read = read_ltoir(bytes);
    if (!read) return fail(read.error());
    info_.functions_are_known = false;
    add_code({.kind = CodeKind::LtoIr,
              .architecture = read->architecture,
              .size = bytes.size(),
              .producer = read->producer()});
    return true;
  }

  // `architecture` is the fatbin entry's, or nothing for PTX outside of a fatbin. The entry's architecture is preferred
  // because it has the suffix ('a', 'f') even if the code itself does not show the suffix.
  bool add_ptx(std::span<const std::byte> bytes, std::optional<Architecture> architecture) {
    const Outcome<Ptx> read = read_ptx(base::as_text(bytes));
    if (!read) return fail(read.error());
    for (const PtxFunction& function : read->functions)
      if (function.is_defined && !function.is_kernel &&
          (function.linkage == PtxFunction::Visible || function.linkage == PtxFunction::Weak))
        functions_.emplace(function.name);
    add_code({.kind = CodeKind::Ptx, .architecture = architecture.value_or(read->target), .size = bytes.size()});
    return true;
  }

  bool add_cubin(std::span<const std::byte> bytes, std::optional<Architecture> architecture) {
    const Outcome<ElfFile> read = read_elf(bytes);
    if (!read) return fail(read.error());
    if (!read->is_cubin())
      return fail({Flaw::Damaged, "the fatbin contains a cubin that is not an ELF file for CUDA", 0});
    add_functions(*read);
    add_code({.kind = CodeKind::Cubin,
              .architecture = architecture.value_or(read->architecture()),
              .size = bytes.size(),
              .is_relocatable = read->is_relocatable});
    return true;
  }

  void add_functions(const ElfFile& file) {
    // For each kernel, a host object defines a function with the kernel's name and a stub. Device code can call neither
    // of the two.
    std::set<std::string_view> kernels;
    for (const ElfFunction& function : file.functions) kernels.insert(kernel_of_stub(function.name));
    for (const ElfFunction& function : file.functions)
      if (!function.is_kernel && !kernels.contains(function.name) && kernel_of_stub(function.name).empty())
        functions_.emplace(function.name);
  }

  bool add_object(std::span<const std::byte> bytes) {
    const Outcome<ElfFile> object = read_elf(bytes);
    if (!object) return fail(object.error());
    if (!object->is_relocatable)
      return fail({Flaw::Unfit, "this is a linked program or library, not an object file", 0});
    add_functions(*object);
    for (const std::string_view name : kFatbinSections) {
      const auto section = std::find_if(object->sections.begin(), object->sections.end(),
                                        [&](const ElfSection& s) { return s.name == name && !s.bytes.empty(); });
      if (section != object->sections.end() && !add_fatbin(section->bytes)) return false;
    }
    return true;
  }

  bool add_fatbin(std::span<const std::byte> bytes) {
    const Outcome<std::vector<FatbinEntry>> read = read_fatbin(bytes);
    if (!read) return fail(read.error());
    for (const FatbinEntry& entry : *read)
      if (!add_entry(entry)) return false;
    return true;
  }

  bool add_entry(const FatbinEntry& entry) {
    if (!entry.is_compressed && entry.kind == CodeKind::Ptx) return add_ptx(entry.payload, entry.architecture);
    if (!entry.is_compressed && entry.kind == CodeKind::Cubin) return add_cubin(entry.payload, entry.architecture);
    info_.functions_are_known = false;
    DeviceCode code{.kind = entry.kind,
                    .architecture = entry.architecture,
                    .size = entry.size,
                    .is_compressed = entry.is_compressed};
    if (entry.kind == CodeKind::LtoIr) code.producer = oldest_producer(entry.version);
    add_code(code);
    return true;
  }

  // Skips members of unknown kinds, because an archive may contain files that have nothing to do with CUDA.
  bool add_archive(std::span<const std::byte> bytes) {
    const Outcome<std::vector<ArchiveMember>> read = read_archive(bytes);
    if (!read) return fail(read.error());
    for (const ArchiveMember& member : *read) {
      const Outcome<FileKind> kind = file_kind(member.bytes);
      if (!kind || *kind == FileKind::Archive) continue;
      member_ = member.name;
      if (!add(*kind, member.bytes)) {
        error_.message = base::format("{}: {}", member.name, error_.message);
        error_.offset += static_cast<std::size_t>(member.bytes.data() - bytes.data());
        return false;
      }
    }
    return true;
  }

  ImageInfo info_;
  std::set<std::string_view> functions_;
  std::string_view member_;
  FormatError error_;
};

}  // namespace

std::string_view to_string(FileKind kind) noexcept {
  static constexpr std::array<std::string_view, 10> kNames = {
      "CUDA C++ source",   "LTO-IR", "fatbin", "PTX", "cubin", "object file", "archive", "NVVM IR (text)",
      "NVVM IR (bitcode)", "pack"};
  return kNames[static_cast<std::size_t>(kind)];
}

Outcome<FileKind> file_kind(std::span<const std::byte> bytes) {
  const std::string_view text = base::as_text(bytes);
  if (text.empty()) return FormatError{Flaw::Unknown, "the file is empty", 0};
  if (is_ltoir(bytes)) return FileKind::LtoIr;
  if (is_fatbin(bytes)) return FileKind::Fatbin;
  if (is_archive(bytes)) return FileKind::Archive;
  if (is_pack(bytes)) return FileKind::Pack;
  if (text.starts_with(kBitcodeMagic)) return FileKind::NvvmBitcode;
  if (is_elf(bytes)) {
    const bool is_cubin = ByteView(bytes).number<std::uint16_t>(offsetof(Elf64_Ehdr, e_machine)) == EM_CUDA;
    return is_cubin ? FileKind::Cubin : FileKind::Object;
  }
  if (!is_text(text)) return FormatError{Flaw::Unknown, "this is neither text nor any kind of device code", 0};
  if (is_ptx(text)) return FileKind::Ptx;
  return is_llvm_text(text) ? FileKind::NvvmText : FileKind::Source;
}

Outcome<ImageInfo> examine_image(std::span<const std::byte> bytes) {
  return Examiner().examine(bytes);
}

}  // namespace graft::format
