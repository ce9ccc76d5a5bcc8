// The code of a kernel that `graft inspect` builds, for people to read: its PTX, its machine code as nvdisasm writes it
// (SASS), and its cubin as a file.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/commands/build_options.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// What the command line asks for.
struct WantedCode {
  bool ptx = false;
  bool sass = false;
  std::string output;  // the file for the cubin; empty if none is wanted

  bool is_wanted() const noexcept { return ptx || sass || !output.empty(); }
};

// Returns the most shared memory of a thread block of the kernel, in bytes: what its code declares, and what a launch
// adds. The memory that the system takes of each thread block is not part of it.
std::uint64_t shared_memory_of(const Image& image);

// Adds --ptx, --sass and -o to a command. `wanted` must outlive the command.
void add_code_options(CLI::App& command, WantedCode& wanted);

// Writes the file, adds the members `ptx`, `sass` and `cubin` to `object`, and returns the same as text. `image` is the
// kernel of `request`. Throws Error: ToolMissing (no nvdisasm), ToolTooOld (nvdisasm refuses the kernel),
// SystemFailed (nvdisasm was stopped), RouteUnavailable (the kernel has no such code), FileUnreadable.
std::string add_code(const WantedCode& wanted, const BuildRequest& request, const Image& image, nlohmann::json& object);

}  // namespace graft::cli
