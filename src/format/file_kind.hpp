// Recognises the kind of a callback's file by the file's content, never by its name, and lists the device code and the
// callable functions in the file.
//
//     first bytes                kind
//     ED 43 4E 7F                LTO-IR
//     50 ED 55 BA                fatbin
//     7F 'E' 'L' 'F'             cubin or host object, which differ in e_machine
//     "!<arch>\n"                archive
//     'B' 'C' C0 DE              NVVM IR as bitcode
//     89 "GRAFT\r\n"             pack
//     ".version"                 PTX                   (after comments and blanks)
//     an LLVM module as text     NVVM IR as text
//     any other text             CUDA C++ source
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/version.hpp"
#include "format/fatbin.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"

namespace graft::format {

enum class FileKind : std::uint8_t { Source, LtoIr, Fatbin, Ptx, Cubin, Object, Archive, NvvmText, NvvmBitcode, Pack };

std::string_view to_string(FileKind kind) noexcept;  // "CUDA C++ source", "LTO-IR", "fatbin", ...

// A PTX text, a cubin or a unit of LTO-IR, for one architecture.
struct DeviceCode {
  CodeKind kind = CodeKind::Other;
  Architecture architecture;
  std::uint64_t size = 0;  // of the code after decompression, in bytes
  bool is_compressed = false;
  bool is_relocatable = true;  // false for a finished cubin, which cannot be linked any more
  // For LTO-IR, the release of CUDA that wrote it; for LTO-IR in a fatbin, the oldest release that it can be from. 0.0
  // for other code.
  Version producer = {};
  std::string_view member = {};  // the archive member that contains this code; empty outside of archives
};

// All string_views are views into the bytes passed to examine_image.
struct ImageInfo {
  FileKind kind = FileKind::Source;
  std::vector<DeviceCode> code;  // empty for source, NVVM IR and packs, which other readers examine

  // The symbols of the functions that other code can call, sorted and without duplicates. For a host object, the list
  // has the names of its host functions, because nvcc usually compresses the object's device code. nvcc gives each
  // __device__ function a host stub of the same name.
  std::vector<std::string_view> functions;
  // Whether `functions` is complete. The list is incomplete for LTO-IR and for compressed code, because graft cannot
  // read their names. Templates are missing from the list of a host object, because they have no host stubs.
  bool functions_are_known = false;
};

// Gives the kind only. Looks at the first bytes, and for text at the first tokens. The error is Flaw::Unknown for an
// empty file and for binary data of no known kind.
Outcome<FileKind> file_kind(std::span<const std::byte> bytes);

// Gives the kind and the contents. If the file begins like one kind but is damaged, returns that kind's error and tries
// no other kind.
Outcome<ImageInfo> examine_image(std::span<const std::byte> bytes);

}  // namespace graft::format
