// Choosing a route, before anything is compiled: from what is asked, what the callback brings, which tools there are
// and the architecture.
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

// One tool as the choice sees it.
struct ToolState {
  bool available = false;
  std::string why_not;             // what was looked for and where
  toolchain::Version version;      // of the driver: the CUDA version that it supports
  std::vector<int> architectures;  // NVRTC's: 75, 80, ...
};

struct Tools {
  ToolState nvrtc;
  ToolState nvjitlink;
  ToolState driver;
  ToolState host_compiler;
  toolchain::Version block = {};  // the CUDA version that made graft's own LTO-IR
};

// What a callback brings.
struct Material {
  bool source = true;
  bool ltoir = false;
  bool ptx = false;
  bool machine_code = false;              // a cubin, or an object or archive with cubins
  bool types_known = false;               // graft knows the signature without asking a compiler
  toolchain::Version ltoir_made_by = {};  // the CUDA version of the LTO-IR's compiler; 0.0: unknown
  std::string name = "callback";          // for reasons

  // Of a pack. The adapter is in it too, so that no compiler is needed: `ltoir` and `ptx` are callback and adapter.
  bool packed = false;
  bool program = false;                // PTX of the whole kernel
  bool ptx_kernel = true;              // the kernel that calls `ptx` is there too, as route ptx needs it
  std::optional<Route> finished = {};  // a cubin for exactly this architecture, made by that route
  toolchain::Version ptx_made_by = {};
  // Of routes whose kernel is in the pack and does not serve the request's policy: why.
  std::map<Route, std::string> misfits = {};
};

struct RouteRequest {
  RouteChoice choice;
  Material material;
  std::optional<Architecture> architecture = {};  // none: only the host route can be taken
  bool bakes_state = false;
  bool has_indirect = true;  // the family of the kernel has code for that route
};

struct RouteDecision {
  std::optional<Route> route;                    // none: no allowed route can work
  std::vector<Report::RouteNotTaken> not_taken;  // every route tried before it, and why it was not taken
  bool lacks_tool = false;   // a route that the caller allows and the callback fits was not taken for a missing tool,
  bool lacks_newer = false;  // for one that is too old
  bool from_other_major = false;  // LTO-IR of another CUDA major is linked: NVIDIA promises nothing for that
};

// Pure. Routes are tried in their order; `host` only when it is required.
RouteDecision choose_route(const RouteRequest& request, const Tools& tools);

// "lto program ptx indirect host"
std::string order_of_routes();

// Whether nvJitLink takes graft's own LTO-IR as it is: it refuses newer LTO-IR, and NVIDIA promises nothing for that of
// another major version. A compiler can make it anew.
bool takes_block(const toolchain::Version& nvjitlink, const toolchain::Version& block);

// Who links PTX: nvJitLink unless it is missing, older than the compiler that made the PTX (0.0: as old as can be), or
// does not know the architecture; else the driver. Empty when neither can.
enum class PtxLinker { NvJitLink, Driver };
std::optional<PtxLinker> choose_ptx_linker(const Tools& tools, const toolchain::Version& made_by,
                                           std::optional<Architecture> architecture);

}  // namespace graft::plan
