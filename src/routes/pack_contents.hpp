// Opens a pack for a request: finds the pack images that serve the request's architecture, and checks that the request
// asks for what the pack holds.
//
// Of each kind, the image for the newest architecture that serves the request's is taken. The reader of packs returns
// nothing whose checksum does not match, so no damaged image reaches a linker.
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

// What a pack holds for one request. Holds views of the callback's bytes.
struct PackContents {
  format::Pack pack;
  plan::Material material;
  std::vector<toolchain::LinkInput> ltoir;  // callback and adapter
  std::optional<format::PackPart> exact;    // the one in `ltoir` with an exact adapter, which fits one kernel only
  std::optional<format::PackPart> program;
  std::optional<format::PackPart> callback_ptx;
  std::optional<format::PackPart> adapter_ptx;
  std::optional<format::PackPart> finished;
  // Why the finished kernel for this architecture does not have the tuning that the request asks for. Empty if it does,
  // or if there is no finished kernel.
  std::string finished_misfit;
};

// Throws Error(ImageRefused) for bytes that are not a pack, damaged, or of a newer format.
format::Pack read_pack(std::span<const std::byte> bytes, const std::string& name);

// Leaves out images whose kernel does not have the tuning that the options ask for (Family::serve). Throws Error:
// ImageRefused, also if the pack holds nothing for the architecture; InvalidArgument for options that contradict the
// pack's, and for a tuning that nothing in the pack has; NoSuchEntry and SignatureMismatch if the request names another
// function than the pack's. An option with its default value contradicts nothing.
PackContents open_pack(const Callback& callback, std::optional<Architecture> architecture, const Options& options);

// The request's options, with those that the pack remembers (floating point, max_registers, ...) replaced by the
// pack's.
Options with_own(const format::Pack& pack, const Options& asked);

// A stand-in for the program that the pack was made of. It has no text, only names for messages and for the kernel, and
// what was found in the text.
codegen::SourceProgram packed_program(const format::Pack& pack, const std::string& name);

}  // namespace graft::routes
