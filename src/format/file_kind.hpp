// Recognises the kind of a callback's file by the file's content, never by its name.
//
//     first bytes                kind
//     ED 43 4E 7F                LTO-IR
//     50 ED 55 BA                fatbin
//     7F 'E' 'L' 'F'             cubin or host object, which differ in e_machine
//     "!<arch>\n"                archive
//     'B' 'C' C0 DE              NVVM IR as bitcode
//     89 "GRAFT\r\n"             pack; also 89 "GRSET\r\n", a set of packs of version 2
//     ".version"                 PTX                   (after comments and blanks)
//     an LLVM module as text     NVVM IR as text
//     any other text             CUDA C++ source
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "format/outcome.hpp"

namespace graft::format {

enum class FileKind : std::uint8_t { Source, LtoIr, Fatbin, Ptx, Cubin, Object, Archive, NvvmText, NvvmBitcode, Pack };

std::string_view to_string(FileKind kind) noexcept;  // "CUDA C++ source", "LTO-IR", "fatbin", ...

// Looks at the first bytes, and for text at the first tokens. The error is Flaw::Unknown for an empty file and for
// binary data of no known kind.
Outcome<FileKind> file_kind(std::span<const std::byte> bytes);

// The largest file of a callback, in bytes. Even the archives of whole libraries are smaller.
inline constexpr std::uint64_t kLargestCallback = std::uint64_t{1} << 30;
// The largest CUDA C++ source. No compiler takes so much text in useful time.
inline constexpr std::uint64_t kLargestSource = std::uint64_t{64} << 20;

// Returns the most bytes of a callback's file with this beginning: kLargestSource if it begins like source,
// kLargestCallback if it begins like a file of another kind, and 0 if no kind begins so (base::LimitFor).
std::uint64_t largest_callback(std::string_view beginning);

}  // namespace graft::format
