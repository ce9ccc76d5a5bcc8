// A pack: a callback compiled ahead of time, in one file, for many architectures.
//
//     0   magic      8 bytes   89 'G' 'R' 'A' 'F' 'T' 0D 0A    text-mode transfers and pictures of text damage it
//     8   version    u32       1
//     12  metadata   u32       its size in bytes, at most 1 MiB
//     16  whole      u64       the file's size in bytes
//     24  metadata             CBOR: signature, entry, options, tools, and kind, architecture, size and XXH3-128 of
//     each image
//         images               in the metadata's order, each at the next multiple of 16, padded with zeros
//         checksum   16 bytes  XXH3-128 of everything in front of it: low half, high half
//
// Numbers are little-endian. The same pack always makes the same bytes: metadata in any other shape than the writer's
// is damage. Whatever a reader gives back has passed its checksums, so damage never reaches a linker; they keep out
// accidents and no forgers. What a launch relies on is checked beside them (kernel_check.hpp). A change of any of this
// raises kPackVersion and adds a golden file.
//
//     version 1   the first. A kernel's block_threads, programmatic_launch, few_tiles and single_below came later: they
//                 are written where they differ from the defaults of PackKernel, which packs without them have
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"

namespace graft::format {

inline constexpr std::uint32_t kPackVersion = 1;

// Numbers on disk: do not change them.
enum class PackImageKind : std::uint8_t {
  LtoIr = 0,        // callback and adapter, in one image or two, for routes that link LTO-IR
  Program = 1,      // PTX of the whole kernel
  CallbackPtx = 2,  // the callback as the function `symbol`, for routes that link PTX
  AdapterPtx = 3,   // kernel, block and adapter, which call `symbol`, for the same
  Cubin = 4,        // the finished kernel
};

std::string_view to_string(PackImageKind kind) noexcept;  // "ltoir", "program", "callback-ptx", "adapter-ptx", "cubin"

// What a report says of a kernel that stands in a pack, and a launch must know. The rest of it follows from the pack.
struct PackKernel {
  Route route = Route::Lto;  // that made it
  // What a pack without block_threads, programmatic_launch, few_tiles or single_below means: do not change it.
  Tuning tuning = {.few_tiles = 128};
  Report::Resources resources = {};  // of a cubin, like what follows
  std::vector<std::string> remaining_calls = {};
  std::vector<std::string> cuda_helpers = {};
};

struct PackImage {
  PackImageKind kind = PackImageKind::LtoIr;
  Architecture architecture;
  std::span<const std::byte> bytes;  // not owned: the writer's caller keeps them, the reader's are in the pack
  PackKernel kernel = {};            // where there is one in it: of Program, AdapterPtx and Cubin
};

struct Pack {
  std::string entry;   // "math::relu", as the user names it
  std::string symbol;  // the callback's own in CallbackPtx: "_ZN4math4reluEf", or of a source "graft_entry"
  std::string kernel;  // "graft_transform_relu"
  Signature signature;
  FloatingPoint floating_point;
  int max_registers = 0;
  bool line_info = false;
  bool is_heavy = false;           // links rolled first: its source unrolls loops or its LTO-IR is large
  bool has_long_math = false;      // its source calls functions like erff: the policy hides their latency
  std::vector<ToolVersion> tools;  // that made it
  std::vector<PackImage> images;
};

bool is_pack(std::span<const std::byte> bytes) noexcept;

// Flaw::Unfit where the pack could not be read back: too many images, too much metadata, an impossible signature.
Outcome<base::Bytes> write_pack(const Pack& pack);
// The images view `bytes`.
Outcome<Pack> read_pack(std::span<const std::byte> bytes);

}  // namespace graft::format
