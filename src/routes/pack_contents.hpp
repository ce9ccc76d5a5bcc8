// Opens a pack for a request: finds the pack images that serve the request's architecture, and checks that the
// request's options do not contradict the options that the pack was made with.
//
// A pack may have several images of one kind. The chosen image is the one for the newest architecture that the
// request's architecture can run. The reader of packs returns only images whose checksum matches, so no damaged image
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

// The content of a pack that serves one request. The spans are views of the pack's bytes, which must outlive the
// PackContents.
struct PackContents {
  format::Pack pack;
  plan::Material material;
  std::vector<toolchain::LinkInput> ltoir;  // the LTO-IR of callback and adapter
  // The image in `ltoir` that has an exact adapter and therefore fits only one kernel. Empty if no image has an exact
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

// Reads a pack. Throws Error(ImageRefused) if the bytes are not a pack, are damaged, or have a newer format.
format::Pack read_pack(std::span<const std::byte> bytes, const std::string& name);

// Opens the pack for a request. Leaves out images whose kernel does not have the tuning that the options ask for
// (Family::serve). Throws Error: ImageRefused for the reasons of read_pack(), and if the pack has nothing for the
// architecture; InvalidArgument for options that contradict the pack's options, and for a tuning that no image in the
// pack has; NoSuchEntry or SignatureMismatch if the request names another function, or declares another signature, than
// the pack's. An option that has its default value never contradicts the pack.
PackContents open_pack(const Callback& callback, std::optional<Architecture> architecture, const Options& options);

// Returns the request's options, but with the pack's values for the options that the pack stores (floating point,
// max_registers, ...).
Options with_own(const format::Pack& pack, const Options& asked);

// Returns a stand-in for the program that the pack was made from. The stand-in has no text. It has names for messages
// and for the kernel, and the facts that a scan found in the original text.
codegen::SourceProgram packed_program(const format::Pack& pack, const std::string& name);

}  // namespace graft::routes
