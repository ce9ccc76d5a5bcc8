// Recognises the kind of a callback's file by its content, never by its name, and lists the device code and the
// callable functions in it.
//
//     first bytes                kind
//     ED 43 4E 7F                LTO-IR
//     50 ED 55 BA                fatbin
//     7F 'E' 'L' 'F'             cubin or host object, which differ in e_machine
//     "!<arch>\n"                archive
//     'B' 'C' C0 DE              NVVM IR as bitcode
//     89 "GRAFT\r\n"             pack
//     text: ".version"           PTX
//     text: an LLVM module       NVVM IR as text
//     other text                 CUDA C++ source
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/fatbin.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"
#include "toolchain/version.hpp"

namespace graft::format {

enum class FileKind : std::uint8_t { Source, LtoIr, Fatbin, Ptx, Cubin, Object, Archive, NvvmText, NvvmBitcode, Pack };

std::string_view to_string(FileKind kind) noexcept;  // "CUDA C++ source", "LTO-IR", "fatbin", ...

// One piece of device code for one architecture.
struct DeviceCode {
  CodeKind kind = CodeKind::Other;
  Architecture architecture;
  std::uint64_t size = 0;  // after decompression
  bool is_compressed = false;
  bool is_relocatable = true;        // false for a finished cubin, which cannot be linked any more
  toolchain::Version producer = {};  // LTO-IR alone: the (oldest) release of CUDA that writes it; else 0.0
  std::string_view member = {};      // the archive member that contains this code; empty outside of archives
};

// All string_views and spans view the bytes that were examined.
struct ImageInfo {
  FileKind kind = FileKind::Source;
  std::vector<DeviceCode> code;  // empty for source, NVVM IR and packs, which have readers of their own

  // Symbols of the functions that other code can call, sorted and without duplicates. For a host object these are the
  // host functions: nvcc usually compresses an object's device code, but gives each __device__ function a host stub of
  // the same name.
  std::vector<std::string_view> functions;
  // Whether `functions` is complete. It is not for LTO-IR and compressed code, whose names graft cannot read, nor for
  // templates, which have no host stubs.
  bool functions_are_known = false;
};

// The kind alone, which is cheap. Flaw::Unknown for an empty file and for binary data of no known kind.
Outcome<FileKind> file_kind(std::span<const std::byte> bytes);

// The kind and the contents. A damaged file is an error of the kind that its first bytes name; it is never taken for
// another kind.
Outcome<ImageInfo> examine_image(std::span<const std::byte> bytes);

}  // namespace graft::format
