// A pack is a `.graft` file: one callback, compiled ahead of time for many architectures.
//
//     0   magic      8 bytes   89 'G' 'R' 'A' 'F' 'T' 0D 0A
//     8   version    u32       2
//     12  metadata   u32       size of the metadata in bytes, at most 1 MiB
//     16  whole      u64       size of the file in bytes
//     24  metadata             a record (base/record.hpp): the fields of Pack, and each image's kind, architecture,
//                              size, XXH3-128 and kernel, without the image's bytes
//         images               in the metadata's order, each at the next multiple of 16, padded with zeros
//         checksum   16 bytes  XXH3-128 of all preceding bytes: low half, high half
//
// Numbers are little-endian. Equal packs have equal bytes. The magic number, like PNG's, has a byte above 127 and a
// CR LF pair, so that a transfer in text mode visibly corrupts it.
//
// A pack that the reader returns has passed its checksums, so accidental damage never reaches a linker; checksums do
// not stop a forger. The reader also calls a KernelCheck for the values that a launch relies on
// (families/kept_kernels.hpp). Version history, with golden files in tests/format/golden:
//
//     1   metadata in CBOR; no longer read
//     2   metadata as a record of tagged fields; adding a field does not change the version
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

// These numbers are stored in files: do not change them.
enum class PackPartKind : std::uint8_t {
  LtoIr = 0,        // callback and adapter, in one image or two, for routes that link LTO-IR
  Program = 1,      // PTX of the whole kernel
  CallbackPtx = 2,  // for routes that link PTX: the callback, as a function named Pack::symbol
  AdapterPtx = 3,   // for routes that link PTX: kernel, building block and adapter, which call Pack::symbol
  Cubin = 4,        // the finished kernel
};

std::string_view to_string(PackPartKind kind) noexcept;  // "ltoir", "program", "callback-ptx", "adapter-ptx", "cubin"

// The facts about a kernel in a pack that differ from image to image. Pack::kernel has those that all share.
struct PackKernel {
  Route route = Route::Lto;  // the route that made the kernel
  Tuning tuning = {};
  Report::Resources resources = {};  // this and the two lists below are known for a cubin alone
  std::vector<std::string> remaining_calls = {};
  std::vector<std::string> cuda_helpers = {};
};

struct PackPart {
  PackPartKind kind = PackPartKind::LtoIr;
  Architecture architecture;
  std::span<const std::byte> bytes;  // not owned; after read_pack a view into the pack's bytes
  PackKernel kernel = {};            // set when holds_kernel(image)
};

// Whether the image contains a kernel: Program, AdapterPtx and Cubin always do. LTO-IR does when it has a tuning, which
// means that it was compiled for exactly one kernel.
bool holds_kernel(const PackPart& image) noexcept;

struct Pack {
  std::string entry;   // "math::relu", as the user names it
  std::string symbol;  // the callback's symbol in CallbackPtx: "_ZN4math4reluEf", or "graft_entry" for a source
  KernelSpec kernel;   // what all kernels of the pack have in common: all but route, architecture and tuning
  CppStandard standard = CppStandard::Cpp17;  // the standard that the source was compiled with
  bool line_info = false;
  // The source unrolls loops or its LTO-IR is large: link the rolled body first (routes/best_body.hpp).
  bool is_heavy = false;
  bool has_long_math = false;  // the source calls functions like erff: the tuning hides their latency
  // Identifiers in the callback's text that depend on the surrounding threads, such as __syncthreads
  // (reflect/thread_words.hpp). Every report of a kernel from this pack warns of them.
  std::vector<std::string> thread_words;
  std::vector<ToolVersion> tools;  // the tools that made the pack
  std::vector<PackPart> images;
};

KernelSpec kernel_of(const Pack& pack, const PackPart& image);

bool is_pack(std::span<const std::byte> bytes) noexcept;

// Flaw::Unfit for a pack that read_pack would refuse: too many images, too much metadata, an impossible kernel.
Outcome<base::Bytes> write_pack(const Pack& pack, KernelCheck* objection);
// PackPart::bytes are views into `bytes`.
Outcome<Pack> read_pack(std::span<const std::byte> bytes, KernelCheck* objection);

}  // namespace graft::format
