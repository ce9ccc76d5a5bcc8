// A binary file begins with the magic number of its format. Among texts, PTX is recognised by its first token, an LLVM
// module by its first line, and all other text is source.
#include "format/file_kind.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bytes.hpp"
#include "format/archive.hpp"
#include "format/byte_view.hpp"
#include "format/elf.hpp"
#include "format/fatbin.hpp"
#include "format/ltoir.hpp"
#include "format/pack.hpp"
#include "format/ptx.hpp"

namespace graft::format {
namespace {

constexpr std::string_view kBitcodeMagic = "BC\xc0\xde";

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

std::uint64_t largest_callback(std::string_view beginning) {
  const Outcome<FileKind> kind = file_kind(base::as_bytes(beginning));
  if (!kind) return 0;
  return *kind == FileKind::Source ? kLargestSource : kLargestCallback;
}

}  // namespace graft::format
