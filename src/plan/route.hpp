// Chooses the route of a kernel before anything is compiled. The choice depends on the request, the forms of code that
// the callback has, the tools that were found, and the architecture. For each route that was tried and not taken, the
// report lists the reason.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/version.hpp"
#include "graft/architecture.hpp"
#include "graft/report.hpp"
#include "graft/route.hpp"

namespace graft::plan {

// What the choice of a route needs to know about one tool.
struct ToolState {
  bool available = false;
  // Why the tool is not available: what graft looked for, and where.
  std::string why_not;
  // The tool's version. For the driver: the newest CUDA version that the driver supports.
  Version version;
  // Set for NVRTC only: the architectures that it compiles for, as 75, 80, ...
  std::vector<int> architectures;
};

struct Tools {
  ToolState nvrtc;
  ToolState nvjitlink;
  ToolState driver;
  ToolState host_compiler;
  // The CUDA versions of the compilers that made the copies of the LTO-IR of graft's building blocks, in the order of
  // base::kBlockFolders. A version 0.0 means that the copy is acceptable to every linker.
  std::vector<Version> blocks = {Version{}};
};

// The forms of code that a callback has.
struct Material {
  bool source = true;
  bool ltoir = false;
  bool ptx = false;
  // A cubin, or an object or archive that contains cubins.
  bool machine_code = false;
  // True for a source callback whose kernel NVRTC alone makes sooner than NVRTC and nvJitLink do. The route `program`
  // is then tried before `lto`.
  bool program_first = false;
  // True when graft knows the signature without running a compiler.
  bool types_known = false;
  // The newest CUDA version of a compiler that made LTO-IR of the callback or of its link inputs, and the name of that
  // LTO-IR. 0.0 when unknown. The name is empty for the callback's own.
  Version ltoir_made_by = {};
  std::string newest_ltoir = {};
  // True when the callback is linked with further binaries (Callback::with_link_input).
  bool has_link_inputs = false;
  // The name of a link input that is LTO-IR alone. Empty when all link inputs have PTX or machine code.
  std::string link_input_without_code = {};
  // The callback's name, for the texts that say why a route was not taken.
  std::string name = "callback";

  // The members below describe a pack. A pack also contains the adapter, so a build from a pack needs no compiler. For
  // a pack, `ltoir` and `ptx` mean the callback and the adapter together.
  bool packed = false;
  // The pack has PTX of the whole kernel.
  bool program = false;
  // The pack has the kernel that calls the code in `ptx`. The route `ptx` needs this kernel.
  bool ptx_kernel = true;
  // The route by which the pack's cubin for exactly the request's architecture was built. Empty when the pack has no
  // such cubin.
  std::optional<Route> finished = {};
  Version ptx_made_by = {};
  // The routes for which the pack has a kernel, but with another tuning than the request requires (Options::policy).
  // Each is mapped to a text that says which values differ.
  std::map<Route, std::string> misfits = {};
};

struct RouteRequest {
  RouteChoice choice;
  Material material;
  // The architecture to build for. If it is empty, only the host route can work.
  std::optional<Architecture> architecture = {};
  bool bakes_state = false;
  // True when the kernel's family supports the route `indirect`.
  bool has_indirect = true;
  // True when kernels of the family are linked with building blocks, which are LTO-IR of graft's.
  bool links_blocks = true;
};

struct RouteDecision {
  // The chosen route. Empty when no allowed route can work.
  std::optional<Route> route;
  // The routes that were tried before the chosen one, each with the reason why it was not taken.
  std::vector<Report::RouteNotTaken> not_taken;
  // True when one of these routes might work with other tools. The cache entry is then used only as long as the same
  // tools are installed (Image::Data::depends_on_tools).
  bool depends_on_tools = false;
  // True when at least one route was rejected only because a tool is missing.
  bool lacks_tool = false;
  // True when at least one route was rejected only because a tool is too old.
  bool lacks_newer = false;
  // The lowest CUDA version of tools with which one of these routes would work. 0.0 when unknown.
  Version wanted = {};
  // True when the route links LTO-IR of another CUDA major version, which NVIDIA does not guarantee to work.
  bool from_other_major = false;
};

// Tries the routes in their order. Tries `host` only when it is required. Pure function.
RouteDecision choose_route(const RouteRequest& request, const Tools& tools);

// Returns the names of the routes in the two orders in which they are tried: "lto program ptx indirect host, program
// lto ptx indirect host".
std::string orders_of_routes();

// Chooses the copy of graft's building blocks for nvJitLink of this version. nvJitLink refuses LTO-IR of a newer
// version, and NVIDIA guarantees nothing for another major version. Returns the index of the first copy in `blocks`
// (Tools::blocks) that nvJitLink accepts. If it accepts none, returns nothing, and graft can make the LTO-IR again with
// NVRTC.
std::optional<std::size_t> choose_building_blocks(const Version& nvjitlink, const std::vector<Version>& blocks);

// Returns whether this NVRTC compiles for the architecture. Assumes so if its list of architectures is unknown.
bool compiles_for(const ToolState& nvrtc, Architecture architecture);

// Returns the words for a message that this NVRTC does not compile for the architecture, with the versions that do.
std::string does_not_compile_for(const ToolState& nvrtc, Architecture architecture);

// Returns the remedies for missing and too old tools. The remedies name tools that the driver can run. `wanted` is the
// version to install (RouteDecision::wanted), or 0.0.
std::string remedy_for_missing_tools(const ToolState& driver);

// The same for a pack, which only has to be linked. `has_ptx`: the pack has PTX, which a driver links too.
std::string remedy_for_missing_linker(const ToolState& driver, bool has_ptx);
std::string remedy_for_old_tools(const ToolState& driver, const Version& wanted);

// Chooses the tool that links PTX. Returns nvJitLink, unless nvJitLink is missing, is older than the compiler that made
// the PTX (`made_by`), or does not know the architecture. In these cases returns the driver, or nothing if the driver
// cannot link the PTX either. When `made_by` is 0.0, any version is new enough.
enum class PtxLinker { NvJitLink, Driver };
std::optional<PtxLinker> choose_ptx_linker(const Tools& tools, const Version& made_by,
                                           std::optional<Architecture> architecture);

}  // namespace graft::plan
