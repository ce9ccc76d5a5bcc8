// A pack: a callback compiled ahead of time, in one file, for many architectures.
//
//     0   magic      8 bytes   89 'G' 'R' 'A' 'F' 'T' 0D 0A    text-mode transfers and pictures of text damage it
//     8   version    u32       2
//     12  metadata   u32       its size in bytes, at most 1 MiB
//     16  whole      u64       the file's size in bytes
//     24  metadata             a record (base/record.hpp): the pack without its images' bytes, and of each image its
//                              size and XXH3-128
//         images               in the metadata's order, each at the next multiple of 16, padded with zeros
//         checksum   16 bytes  XXH3-128 of everything in front of it: low half, high half
//
// Numbers are little-endian. The same pack always makes the same bytes. Whatever a reader gives back has passed its
// checksums, so damage never reaches a linker; they keep out accidents and no forgers. What a launch relies on is
// checked beside them, by who knows the families of kernels (families/kept_kernels.hpp). Version history, with golden
// files in tests/format/golden:
//
//     1   metadata in CBOR. Not read any more
//     2   metadata as a record of tagged fields: a new one raises no version
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "format/kernel_check.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"
#include "graft/error.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "graft/report.hpp"

namespace graft::format {

inline constexpr std::uint32_t kPackVersion = 2;

// Numbers on disk: do not change them.
enum class PackImageKind : std::uint8_t {
  LtoIr = 0,        // callback and adapter, in one image or two, for routes that link LTO-IR
  Program = 1,      // PTX of the whole kernel
  CallbackPtx = 2,  // the callback as the function `symbol`, for routes that link PTX
  AdapterPtx = 3,   // kernel, block and adapter, which call `symbol`, for the same
  Cubin = 4,        // the finished kernel
};

std::string_view to_string(PackImageKind kind) noexcept;  // "ltoir", "program", "callback-ptx", "adapter-ptx", "cubin"

// What is one image's own of a kernel that stands in a pack.
struct PackKernel {
  Route route = Route::Lto;  // that made it
  Tuning tuning = {};
  Report::Resources resources = {};  // of a cubin, like what follows
  std::vector<std::string> remaining_calls = {};
  std::vector<std::string> cuda_helpers = {};
};

struct PackImage {
  PackImageKind kind = PackImageKind::LtoIr;
  Architecture architecture;
  std::span<const std::byte> bytes;  // not owned: the writer's caller keeps them, the reader's are in the pack
  PackKernel kernel = {};            // where there is one in it
};

// Whether a kernel is in it, as in those of Program, AdapterPtx and Cubin; or LTO-IR of exactly one kernel.
bool holds_kernel(const PackImage& image) noexcept;

struct Pack {
  std::string entry;   // "math::relu", as the user names it
  std::string symbol;  // the callback's own in CallbackPtx: "_ZN4math4reluEf", or of a source "graft_entry"
  KernelSpec kernel;   // what all of its kernels have in common: all but route, architecture and tuning
  CppStandard standard = CppStandard::Cpp17;  // that its source was compiled by
  bool line_info = false;
  bool is_heavy = false;       // links rolled first: its source unrolls loops or its LTO-IR is large
  bool has_long_math = false;  // its source calls functions like erff: the policy hides their latency
  // Words of the callback's text that no callback should have (reflect/thread_words.hpp): each is a note of every
  // kernel.
  std::vector<std::string> thread_words;
  std::vector<ToolVersion> tools;  // that made it
  std::vector<PackImage> images;
};

KernelSpec kernel_of(const Pack& pack, const PackImage& image);

bool is_pack(std::span<const std::byte> bytes) noexcept;

// Flaw::Unfit where the pack could not be read back: too many images, too much metadata, an impossible kernel.
Outcome<base::Bytes> write_pack(const Pack& pack, KernelCheck* objection);
// The images view `bytes`.
Outcome<Pack> read_pack(std::span<const std::byte> bytes, KernelCheck* objection);

}  // namespace graft::format
