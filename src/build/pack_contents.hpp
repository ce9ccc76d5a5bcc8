// A pack as a request sees it: what it holds for one architecture, and whether it is what was asked for.
//
// Of each kind of image the newest that serves the architecture is taken. A reader gives nothing back whose checksum
// does not match, so no damaged image reaches a linker.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/pack.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "plan/route.hpp"
#include "reflect/source_program.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::building {

// Views the callback's bytes.
struct PackContents {
  format::Pack pack;
  plan::Material material;
  std::vector<toolchain::LinkInput> ltoir;  // callback and adapter
  std::optional<format::PackImage> exact;   // that of them which is for exactly one kernel, if one is
  std::optional<format::PackImage> program;
  std::optional<format::PackImage> callback_ptx;
  std::optional<format::PackImage> adapter_ptx;
  std::optional<format::PackImage> finished;
  // Why a finished kernel for exactly this architecture does not serve the request's policy. Empty when it does, or
  // there is none.
  std::string finished_misfit;
};

// Throws Error(ImageRefused) for what is no pack, is damaged, or is of a newer format.
format::Pack read_pack(std::span<const std::byte> bytes, const std::string& name);

// Images whose kernel does not serve the policy that the options ask for are left out (Family::serve). Throws
// Error: ImageRefused (also for a pack that holds nothing for the architecture), InvalidArgument for options that are
// not the pack's and for a policy that nothing in it serves, NoSuchEntry and SignatureMismatch for another function
// than the pack's. Options that are the defaults say nothing.
PackContents open_pack(const Callback& callback, std::optional<Architecture> architecture, const Options& options);

// The options that the pack was made with, beside those that only a request has.
Options with_own(const format::Pack& pack, const Options& asked);

// What stands for the program that the pack was made of: names for messages and for the kernel.
reflect::SourceProgram packed_program(const format::Pack& pack, const std::string& name);

}  // namespace graft::building
