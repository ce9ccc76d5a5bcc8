// Reads and writes packs, and opens the pack of one kernel for a request: finds the parts that serve the request's
// architecture, and checks that the request's options do not contradict the options that the pack was made with.
//
// A packed kernel may have several parts of one kind. The chosen part is the one for the newest architecture that the
// request's architecture can run. The reader of packs returns only parts whose checksum matches, so no damaged part
// reaches a linker.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/source_program.hpp"
#include "format/pack.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "plan/route.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::routes {

// The content of a packed kernel that serves one request. The spans are views of the pack's bytes, which must outlive
// the PackContents.
struct PackContents {
  format::PackedKernel kernel;
  plan::Material material;
  std::vector<toolchain::LinkInput> ltoir;  // the LTO-IR of callback and adapter
  // The part in `ltoir` that has an exact adapter and therefore fits only one kernel. Empty if no part has an exact
  // adapter.
  std::optional<format::PackPart> exact;
  std::optional<format::PackPart> program;
  std::optional<format::PackPart> callback_ptx;
  std::optional<format::PackPart> adapter_ptx;
  std::optional<format::PackPart> finished;
  // Says how the tuning of the pack's finished kernel for this architecture differs from the tuning that the request
  // asks for. Empty if it does not differ, or if the pack has no such kernel.
  std::string finished_misfit;
};

// Reads a pack. Throws Error(ImageRefused) if the bytes are not a pack, are damaged, have a newer format, or are
// compressed and this build has no zstd.
format::Pack read_pack(std::span<const std::byte> bytes, const std::string& name);

// Returns the pack without compression, and any other bytes unchanged. Callbacks hold such packs: a pack is
// decompressed once, and a kernel's key does not depend on how its pack was compressed. Throws what read_pack() throws
// for a compressed pack, but does not read the pack in it.
std::string plain_pack(std::span<const std::byte> bytes, const std::string& name);

// Return the bytes of a pack, or of the pack of one job. `title` is its name in messages. Throw Error(InvalidArgument)
// if no pack can hold it.
base::Bytes pack_of(format::PackJob job, const std::string& title);
base::Bytes written_pack(const format::Pack& pack, const std::string& title);

// Returns a kernel of a pack as a callback: as the pack of this kernel alone. The kernel must come from read_pack(),
// which has checked it. Throws what pack_of() throws.
Callback callback_of(format::PackedKernel kernel, const std::string& name);

// Opens the pack for a request. Leaves out parts whose kernel does not have the tuning that the options ask for
// (Family::serve). Throws Error: what read_packed_kernel() throws (routes/pack_entry.hpp), and ImageRefused if the pack
// has nothing for the architecture; InvalidArgument for options that contradict the pack's options, and for a tuning
// that no part of the pack has; SignatureMismatch if the request declares another signature than the pack's. An option
// that has its default value never contradicts the pack.
PackContents open_pack(const Callback& callback, std::optional<Architecture> architecture, const Options& options);

// Makes contents for another kernel of the same callback, which calls the callback of the pack. Throws
// Error(RouteUnavailable) if the pack has no PTX of the callback.
void keep_callback_alone(PackContents& contents, const base::Bytes& request);

// Returns the request's options, but with the pack's values for the options that the pack stores (floating point,
// max_registers, ...).
Options with_own(const format::PackedKernel& packed, const Options& asked);

// Returns a stand-in for the program that the kernel was made from. The stand-in has no text. It has names for messages
// and for the kernel, and the facts that a scan found in the original text.
codegen::SourceProgram packed_program(const format::PackedKernel& packed, const std::string& name);

}  // namespace graft::routes
