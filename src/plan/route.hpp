// Chooses the route of a kernel before anything is compiled, from the request, the forms of code that the callback has,
// the tools that were found and the architecture. The report lists the reason for each route that was tried and not
// taken.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/report.hpp"
#include "graft/route.hpp"
#include "toolchain/version.hpp"

namespace graft::plan {

// What the choice of a route needs to know about a tool.
struct ToolState {
  bool available = false;
  std::string why_not;             // why the tool is not available: what was looked for, and where
  toolchain::Version version;      // for the driver: the newest CUDA version that it supports
  std::vector<int> architectures;  // NVRTC's: 75, 80, ...
};

struct Tools {
  ToolState nvrtc;
  ToolState nvjitlink;
  ToolState driver;
  ToolState host_compiler;
  toolchain::Version block = {};  // the CUDA version that made graft's own LTO-IR
};

// The forms of code that a callback has.
struct Material {
  bool source = true;
  bool ltoir = false;
  bool ptx = false;
  bool machine_code = false;              // a cubin, or an object or archive with cubins
  bool types_known = false;               // graft knows the signature without asking a compiler
  toolchain::Version ltoir_made_by = {};  // the CUDA version of the LTO-IR's compiler; 0.0: unknown
  std::string name = "callback";          // the callback's name in reasons

  // The members below describe a pack. It contains the adapter as well, so no compiler is needed: `ltoir` and `ptx`
  // then are callback and adapter together.
  bool packed = false;
  bool program = false;                // PTX of the whole kernel
  bool ptx_kernel = true;              // the kernel that calls `ptx`, which the route `ptx` needs
  std::optional<Route> finished = {};  // a cubin for exactly this architecture, and the route that made it
  toolchain::Version ptx_made_by = {};
  // For routes whose kernel is in the pack but has another tuning than the request asks for (Options::policy): the
  // reason.
  std::map<Route, std::string> misfits = {};
};

struct RouteRequest {
  RouteChoice choice;
  Material material;
  std::optional<Architecture> architecture = {};  // none: only the host route can work
  bool bakes_state = false;
  bool has_indirect = true;  // the kernel's family supports the route `indirect`
};

struct RouteDecision {
  std::optional<Route> route;                    // none: no allowed route can work
  std::vector<Report::RouteNotTaken> not_taken;  // the routes that were tried before it, each with the reason
  bool lacks_tool = false;                       // a route was not taken only because a tool is missing
  bool lacks_newer = false;                      // a route was not taken only because a tool is too old
  bool from_other_major = false;  // links LTO-IR of another CUDA major version, which NVIDIA does not guarantee
};

// Tries the routes in their order, and `host` only when it is required. Pure.
RouteDecision choose_route(const RouteRequest& request, const Tools& tools);

// "lto program ptx indirect host"
std::string order_of_routes();

// Whether nvJitLink of this version accepts graft's own LTO-IR, that of the building blocks. nvJitLink refuses LTO-IR
// of a newer version, and NVIDIA guarantees nothing for another major version. NVRTC can make the LTO-IR again.
bool takes_building_blocks(const toolchain::Version& nvjitlink, const toolchain::Version& block);

// The tool that links PTX: nvJitLink, unless it is missing, is older than the compiler that made the PTX, or does not
// know the architecture; otherwise the driver. Empty when neither can. `made_by` 0.0: any linker is new enough.
enum class PtxLinker { NvJitLink, Driver };
std::optional<PtxLinker> choose_ptx_linker(const Tools& tools, const toolchain::Version& made_by,
                                           std::optional<Architecture> architecture);

}  // namespace graft::plan
