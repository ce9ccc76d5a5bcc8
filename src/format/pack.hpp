// A pack is a `.graft` file with the kernels of one or several jobs (families/job.hpp), compiled ahead of time for many
// architectures: the kernel of a callback, or those of a job that needs several.
//
//     0   magic      8 bytes   89 'G' 'R' 'A' 'F' 'T' 0D 0A
//     8   version    u32       3
//     12  metadata   u32       size of the metadata in bytes, at most 3 MiB
//     16  whole      u64       size of the file in bytes
//     24  metadata             a record (base/record.hpp): the list of jobs, each with its name and its list of
//                              kernels, each with its list of parts. Of a part, the record has kind, architecture,
//                              size, XXH3-128 hash, coding and facts
//         parts                the bytes of the parts in the metadata's order; each part begins at the next multiple of
//                              16 bytes, with zeros before it
//         checksum   16 bytes  XXH3-128 of all preceding bytes: low half, high half
//
// The number in front of a field is its offset in bytes. Numbers are little-endian. Equal packs have equal bytes. The
// magic, like PNG's, has a byte above 127 and a CR LF pair, so that a transfer in text mode changes the magic and the
// reader refuses the file.
//
// The reader verifies the checksums, so accidental damage never reaches a linker. A forger can compute correct
// checksums, so code outside src/format reads packs with families::read_pack, which also checks the values that a
// launch relies on (families/kept_kernels.hpp).
//
// Version history, with golden files in tests/format/golden:
//
//     1   The metadata was in CBOR. This graft does not read version 1.
//     2   The metadata is a record of tagged fields. Adding a field does not change the version. A pack has one kernel,
//         and several kernels are a set of packs (pack_version_2.hpp). This graft reads version 2.
//     3   A pack has jobs of several kernels, and each part names its coding, which is always 0.
//     4   A pack of version 3, compressed (compressed_pack.hpp). write_pack writes version 3, which the library keeps
//         in memory; what it gives to its caller is compressed last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "format/compressed.hpp"
#include "format/outcome.hpp"
#include "graft/architecture.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "graft/report.hpp"

namespace graft::format {

inline constexpr std::uint32_t kPackVersion = 3;
inline constexpr std::string_view kPackMagic = "\x89GRAFT\r\n";
inline constexpr std::size_t kPackVersionAt = 8;
inline constexpr std::size_t kPackMetadataAt = 24;  // the offset of the metadata

// The numbers of these kinds are stored in files. Do not change the numbers.
enum class PackPartKind : std::uint8_t {
  LtoIr = 0,        // LTO-IR of the callback and the adapter: one part with both, or one part each
  Program = 1,      // PTX of the whole kernel
  CallbackPtx = 2,  // PTX of the callback alone, as a function named PackedKernel::symbol; is linked with AdapterPtx
  AdapterPtx = 3,   // PTX of kernel, building block and adapter, which call this function; is linked with CallbackPtx
  Cubin = 4,        // the finished kernel
  // Of own kernels (own_kernels/packed.hpp says what their `details` are):
  KernelLtoIr = 5,    // the code of the kernels, with open slots
  SlotLtoIr = 6,      // the function of one slot
  ConstantLtoIr = 7,  // the definition of one constant with one value
};

std::string_view to_string(
    PackPartKind kind) noexcept;  // "ltoir", "program", "callback-ptx", "adapter-ptx", "cubin", ...

// The facts about a kernel that differ between the parts of a packed kernel. PackedKernel::spec has the facts that all
// parts share.
struct PartFacts {
  Route route = Route::Lto;  // the route that made the kernel
  Tuning tuning = {};
  Report::Resources resources = {};  // for a cubin only; empty for other parts, like the two lists below
  std::vector<std::string> remaining_calls = {};
  std::vector<std::string> cuda_helpers = {};
};

// A piece of code of a packed kernel.
struct PackPart {
  PackPartKind kind = PackPartKind::LtoIr;
  Architecture architecture;
  std::span<const std::byte> bytes;  // read_pack sets it to a view into the pack's bytes
  // Set if the part contains a kernel. Parts of the kinds Program, AdapterPtx and Cubin always do, and CallbackPtx
  // never does. LTO-IR does if it was compiled for exactly one kernel.
  std::optional<PartFacts> facts = {};
  Coding coding = Coding::None;
  base::Bytes details = {};  // a record of the family's own; empty for parts of the first five kinds
  // Keeps `bytes` alive if read_pack decompressed them; empty otherwise.
  std::shared_ptr<const base::Bytes> owner = {};
};

// A kernel, compiled for several architectures and routes.
struct PackedKernel {
  std::string entry;   // "math::relu", as the user names it
  std::string symbol;  // the callback's symbol in CallbackPtx: "_ZN4math4reluEf", or "graft_entry" for a source
  KernelSpec spec;     // the facts that all parts share; the members route, architecture and tuning are not set
  CppStandard standard = CppStandard::Cpp17;  // the standard that the source was compiled with
  bool line_info = false;
  // True if the source unrolls loops or its LTO-IR is large. graft then links the kernel's rolled body, which does
  // not unroll the callback, before the vector body (routes/best_body.hpp).
  bool is_heavy = false;
  bool has_long_math = false;  // the source calls functions like erff, whose latency the tuning must hide
  // The identifiers in the callback's source that depend on the surrounding threads, such as __syncthreads
  // (reflect/callback/thread_words.hpp). Every report of a kernel from this pack warns about these identifiers.
  std::vector<std::string> thread_words;
  std::vector<ToolVersion> tools;  // the tools that made the parts
  std::vector<PackPart> parts;
  base::Bytes details = {};  // a record of the family's own
};

struct PackJob {
  std::string family;
  // What the family was asked for (families::Job::request). Empty if that is nothing beyond the callback, and for a
  // kernel that stands for itself, outside of its job.
  base::Bytes request = {};
  std::vector<PackedKernel> kernels = {};  // at least one
  // The name by which a request chooses the job in a pack of several callbacks (routes/pack_entry.hpp). Empty: the
  // entry of its kernel.
  std::string name = {};
};

struct Pack {
  std::vector<PackJob> jobs;  // at least one
};

KernelSpec spec_of(const PackedKernel& kernel, const PackPart& part);

bool is_pack(std::span<const std::byte> bytes) noexcept;

// The error is Flaw::Unfit for a pack with too much metadata. Does not check what read_pack checks.
Outcome<base::Bytes> write_pack(const Pack& pack);
// Reads a pack of version 2, 3 or 4, or a set of packs of version 2. In the result, PackPart::bytes are views into
// `bytes`, or into PackPart::owner if the pack is compressed. The error is Flaw::Compressed if the pack is compressed
// and this build has no zstd.
Outcome<Pack> read_pack(std::span<const std::byte> bytes);

}  // namespace graft::format
