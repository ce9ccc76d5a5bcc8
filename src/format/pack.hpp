// A pack is a `.graft` file with one callback, compiled ahead of time for many architectures.
//
//     0   magic      8 bytes   89 'G' 'R' 'A' 'F' 'T' 0D 0A
//     8   version    u32       2
//     12  metadata   u32       size of the metadata in bytes, at most 1 MiB
//     16  whole      u64       size of the file in bytes
//     24  metadata             a record (base/record.hpp): the fields of Pack, and for each image its kind,
//                              architecture, size, XXH3-128 hash and kernel
//         images               the bytes of the images in the metadata's order; each image begins at the next multiple
//                              of 16 bytes, with zeros before it
//         checksum   16 bytes  XXH3-128 of all preceding bytes: low half, high half
//
// The number in front of a field is its offset in bytes. Numbers are little-endian. Equal packs have equal bytes. The
// magic, like PNG's, has a byte above 127 and a CR LF pair, so that a transfer in text mode changes the magic and the
// reader refuses the file.
//
// The reader verifies the checksums, so accidental damage never reaches a linker. A forger can compute correct
// checksums, so the reader also calls a KernelCheck, which checks the values that a launch relies on
// (families/kept_kernels.hpp).
//
// Version history, with golden files in tests/format/golden:
//
//     1   The metadata was in CBOR. This graft does not read version 1.
//     2   The metadata is a record of tagged fields. Adding a field does not change the version.
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
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "graft/report.hpp"

namespace graft::format {

inline constexpr std::uint32_t kPackVersion = 2;

// The numbers of these kinds are stored in files. Do not change the numbers.
enum class PackPartKind : std::uint8_t {
  LtoIr = 0,        // LTO-IR of the callback and the adapter: one image of both, or one image each
  Program = 1,      // PTX of the whole kernel
  CallbackPtx = 2,  // PTX of the callback alone, as a function named Pack::symbol; is linked with AdapterPtx
  AdapterPtx = 3,   // PTX of kernel, building block and adapter, which call Pack::symbol; is linked with CallbackPtx
  Cubin = 4,        // the finished kernel
};

std::string_view to_string(PackPartKind kind) noexcept;  // "ltoir", "program", "callback-ptx", "adapter-ptx", "cubin"

// The facts about a kernel that differ between the images of a pack. Pack::kernel has the facts that all images share.
struct PackKernel {
  Route route = Route::Lto;  // the route that made the kernel
  Tuning tuning = {};
  Report::Resources resources = {};  // for a cubin only; empty for other images, like the two lists below
  std::vector<std::string> remaining_calls = {};
  std::vector<std::string> cuda_helpers = {};
};

struct PackPart {
  PackPartKind kind = PackPartKind::LtoIr;
  Architecture architecture;
  std::span<const std::byte> bytes;  // not owned; read_pack sets it to a view into the pack's bytes
  PackKernel kernel = {};            // set if holds_kernel() is true for this image
};

// Whether the image contains a kernel. Images of the kinds Program, AdapterPtx and Cubin always contain a kernel.
// LTO-IR contains a kernel if kernel.tuning is set, which means that the LTO-IR was compiled for exactly one kernel.
bool holds_kernel(const PackPart& image) noexcept;

struct Pack {
  std::string entry;   // "math::relu", as the user names it
  std::string symbol;  // the callback's symbol in CallbackPtx: "_ZN4math4reluEf", or "graft_entry" for a source
  KernelSpec kernel;   // the facts that all images share; the members route, architecture and tuning are not set
  CppStandard standard = CppStandard::Cpp17;  // the standard that the source was compiled with
  bool line_info = false;
  // True if the source unrolls loops or its LTO-IR is large. graft then links the kernel's rolled body, which does
  // not unroll the callback, before the vector body (routes/best_body.hpp).
  bool is_heavy = false;
  bool has_long_math = false;  // the source calls functions like erff, whose latency the tuning must hide
  // The identifiers in the callback's source that depend on the surrounding threads, such as __syncthreads
  // (reflect/thread_words.hpp). Every report of a kernel from this pack warns about these identifiers.
  std::vector<std::string> thread_words;
  std::vector<ToolVersion> tools;  // the tools that made the pack
  std::vector<PackPart> images;
};

KernelSpec kernel_of(const Pack& pack, const PackPart& image);

bool is_pack(std::span<const std::byte> bytes) noexcept;

// The error is Flaw::Unfit for a pack that read_pack would refuse, because the pack has too many images, too much
// metadata or a kernel that graft cannot have made.
Outcome<base::Bytes> write_pack(const Pack& pack, KernelCheck* objection);
// In the result, PackPart::bytes are views into `bytes`.
Outcome<Pack> read_pack(std::span<const std::byte> bytes, KernelCheck* objection);

}  // namespace graft::format
