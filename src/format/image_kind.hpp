// What a callback's file is, by its content: the name plays no part.
//
//     first bytes                kind
//     ED 43 4E 7F                LTO-IR
//     50 ED 55 BA                fatbin
//     7F 'E' 'L' 'F'             cubin, or host object, by its machine
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

enum class ImageKind : std::uint8_t { Source, LtoIr, Fatbin, Ptx, Cubin, Object, Archive, NvvmText, NvvmBitcode, Pack };

std::string_view to_string(ImageKind kind) noexcept;  // "CUDA C++ source", "LTO-IR", "fatbin", ...

// One piece of device code for one architecture.
struct DeviceCode {
  CodeKind kind = CodeKind::Other;
  Architecture architecture;
  std::uint64_t size = 0;  // not compressed
  bool is_compressed = false;
  bool is_relocatable = true;        // false for a finished cubin, to which nothing can be linked
  toolchain::Version producer = {};  // of LTO-IR: the (oldest) release of CUDA that writes it; else 0.0
  std::string_view member = {};      // of an archive: whose it is
};

// Views the bytes that it was read from.
struct ImageInfo {
  ImageKind kind = ImageKind::Source;
  std::vector<DeviceCode> code;  // none in source, NVVM IR and packs, which have readers of their own

  // Functions that other code can call, by the linker's names, sorted, each once. Of an object they are the host's
  // functions, since its device code is compressed as a rule: each __device__ function has a host stub of its name.
  std::vector<std::string_view> functions;
  // Whether these are all: LTO-IR and compressed code keep their names to themselves, and templates have no stubs.
  bool functions_are_known = false;
};

// The kind alone, which costs nothing. Flaw::Unknown for what is none of them: binary data, an empty file.
Outcome<ImageKind> image_kind(std::span<const std::byte> bytes);

// The kind and what is in it. A file that begins like one kind and is damaged is an error, never another kind.
Outcome<ImageInfo> examine_image(std::span<const std::byte> bytes);

}  // namespace graft::format
