// Each route has one function that says what prevents the route from working (an Obstacle). The first route without an
// obstacle is chosen. For each route before the chosen route, the report gives its obstacle as the reason why the route
// was not taken.
#include "plan/route.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "plan/architectures.hpp"

namespace graft::plan {
namespace {

// The routes in the orders in which they are tried.
using Order = std::array<Route, 5>;
constexpr Order kOrder = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};
constexpr Order kProgramFirst = {Route::Program, Route::Lto, Route::Ptx, Route::Indirect, Route::Host};

// The kinds of obstacles:
//
//     Unfit     the callback or the family lacks something that the route needs
//     Missing   a tool is missing
//     TooOld    a tool is too old
//     Unwise    the route should work, but NVIDIA does not guarantee it; it is taken only when no other route works
enum class Kind { None, Unfit, Missing, TooOld, Unwise };

// Why a route cannot work or should not be taken. Converts to false when there is no obstacle.
struct Obstacle {
  Kind kind = Kind::None;
  std::string reason;
  Version wanted = {};  // for TooOld: the CUDA version of tools that would not have the obstacle, if known
  explicit operator bool() const { return kind != Kind::None; }
};

Obstacle missing(const ToolState& tool) {
  return tool.available ? Obstacle{} : Obstacle{Kind::Missing, tool.why_not};
}

Version wanted_for(Architecture architecture) {
  return first_version(architecture).value_or(Version{});
}

Obstacle no_architecture(const RouteRequest& request, const Tools& tools) {
  if (!request.architecture || compiles_for(tools.nvrtc, *request.architecture)) return {};
  // Tools that call the architecture otherwise are not too old.
  const Kind kind = new_name(tools.nvrtc.version, *request.architecture) ? Kind::Unfit : Kind::TooOld;
  return {kind, does_not_compile_for(tools.nvrtc, *request.architecture), wanted_for(*request.architecture)};
}

// nvJitLink cannot be asked which architectures it knows. For an architecture that graft's table does not have, NVRTC's
// list is used, because both tools of one toolkit know the same architectures.
bool links_for(const Tools& tools, std::optional<Architecture> architecture) {
  if (!architecture) return true;
  return first_version(*architecture) ? may_know(tools.nvjitlink.version, *architecture)
                                      : compiles_for(tools.nvrtc, *architecture);
}

Obstacle no_architecture_to_link(const RouteRequest& request, const Tools& tools) {
  if (links_for(tools, request.architecture)) return {};
  if (Obstacle found = no_architecture(request, tools)) return found;
  return {Kind::TooOld,
          base::format("nvJitLink {} does not link for {}{}", tools.nvjitlink.version.text(),
                       request.architecture->sm(), who_does("nvJitLink", *request.architecture)),
          wanted_for(*request.architecture)};
}

std::string older_linker(const Tools& tools, const Version& made_by, std::string_view what) {
  return base::format("nvJitLink {} is older than NVRTC {}, and refuses its {}", tools.nvjitlink.version.text(),
                      made_by.text(), what);
}

bool is_other_major(const Material& material, const Tools& tools) {
  return material.ltoir_made_by.major != 0 && tools.nvjitlink.available &&
         material.ltoir_made_by.major != tools.nvjitlink.version.major;
}

// Returns the obstacle to linking the LTO-IR of a pack. No compiler is needed for the callback, but nvJitLink must
// accept graft's own LTO-IR, or NVRTC must be available to compile that LTO-IR again.
Obstacle building_block_obstacle(const Tools& tools) {
  if (choose_building_blocks(tools.nvjitlink.version, tools.blocks) || tools.nvrtc.available) return {};
  std::string made_by;
  for (const Version& block : tools.blocks) made_by += (made_by.empty() ? "CUDA " : " and CUDA ") + block.text();
  return {Kind::Missing,
          base::format("nvJitLink {} does not accept graft's own LTO-IR, which {} made, and no compiler can make it "
                       "again: {}",
                       tools.nvjitlink.version.text(), made_by, tools.nvrtc.why_not)};
}

// The callback's own LTO-IR must not be newer than nvJitLink, and should have the same major version.
Obstacle ltoir_obstacle(const Material& material, const Tools& tools) {
  if (material.ltoir_made_by > tools.nvjitlink.version)
    return {Kind::TooOld,
            base::format(
                "nvJitLink {} is older than the LTO-IR of {}, which CUDA {} made", tools.nvjitlink.version.text(),
                material.newest_ltoir.empty() ? material.name : material.newest_ltoir, material.ltoir_made_by.text()),
            material.ltoir_made_by};
  if (is_other_major(material, tools))
    return {
        Kind::Unwise,
        base::format("the callback's LTO-IR was made by CUDA {}, and nvJitLink {} does not guarantee to link LTO-IR "
                     "of another major version",
                     material.ltoir_made_by.text(), tools.nvjitlink.version.text())};
  return {};
}

Obstacle lto_obstacle(const RouteRequest& request, const Tools& tools) {
  const Material& material = request.material;
  if (!material.source && !material.ltoir) return {Kind::Unfit, base::format("{} has no LTO-IR", material.name)};
  if (!material.packed)
    if (Obstacle found = missing(tools.nvrtc)) return found;
  if (Obstacle found = missing(tools.nvjitlink)) return found;
  if (material.packed) {
    if (Obstacle found = no_architecture_to_link(request, tools)) return found;
    if (Obstacle found = ltoir_obstacle(material, tools); found.kind == Kind::TooOld) return found;
    if (request.links_blocks)
      if (Obstacle found = building_block_obstacle(tools)) return found;
    return ltoir_obstacle(material, tools);
  }
  if (tools.nvjitlink.version < tools.nvrtc.version)
    return {Kind::TooOld, older_linker(tools, tools.nvrtc.version, "LTO-IR"), tools.nvrtc.version};
  if (Obstacle found = no_architecture(request, tools)) return found;
  return ltoir_obstacle(material, tools);
}

Obstacle linker_obstacle(const RouteRequest& request, const Tools& tools, const Version& made_by) {
  if (choose_ptx_linker(tools, made_by, request.architecture)) return {};
  const std::string no_driver = tools.driver.available
                                    ? base::format("the driver is for CUDA {}", tools.driver.version.text())
                                    : tools.driver.why_not;
  if (!tools.nvjitlink.available && !tools.driver.available)
    return {Kind::Missing, base::format("no linker: {}; {}", tools.nvjitlink.why_not, no_driver)};
  if (!tools.nvjitlink.available)
    return {
        Kind::TooOld,
        base::format("no linker for the PTX of NVRTC {}: {}; {}", made_by.text(), tools.nvjitlink.why_not, no_driver),
        made_by};
  if (Obstacle found = no_architecture_to_link(request, tools)) return found;
  return {Kind::TooOld, base::format("{}; {}", older_linker(tools, made_by, "PTX"), no_driver), made_by};
}

Obstacle program_obstacle(const RouteRequest& request, const Tools& tools) {
  const Material& material = request.material;
  if (material.packed && !material.program)
    return {Kind::Unfit, base::format("{} has no PTX of the whole kernel", material.name)};
  if (material.packed) return linker_obstacle(request, tools, material.ptx_made_by);
  if (!material.source) return {Kind::Unfit, base::format("{} is not source", material.name)};
  if (material.has_link_inputs)
    return {Kind::Unfit, base::format("{} has link inputs, and this route links nothing", material.name)};
  if (Obstacle found = missing(tools.nvrtc)) return found;
  return no_architecture(request, tools);
}

Obstacle no_linkable_code(const Material& material) {
  if (material.packed)
    return material.ptx ? Obstacle{} : Obstacle{Kind::Unfit, base::format("{} has no PTX to link", material.name)};
  if (!material.link_input_without_code.empty())
    return {Kind::Unfit,
            base::format("the link input {} has neither PTX nor machine code", material.link_input_without_code)};
  if (material.source || material.ptx || material.machine_code) return {};
  return {Kind::Unfit, base::format("{} has neither PTX nor machine code", material.name)};
}

Obstacle ptx_obstacle(const RouteRequest& request, const Tools& tools) {
  const Material& material = request.material;
  if (Obstacle found = no_linkable_code(material)) return found;
  if (material.packed && !material.ptx_kernel)
    return {Kind::Unfit, base::format("{} has no PTX of a kernel that calls its callback", material.name)};
  if (material.packed) return linker_obstacle(request, tools, material.ptx_made_by);
  if (Obstacle found = missing(tools.nvrtc)) return found;
  return linker_obstacle(request, tools, tools.nvrtc.version);
}

Obstacle indirect_obstacle(const RouteRequest& request, const Tools& tools) {
  if (!request.has_indirect) return {Kind::Unfit, "no kernel of this family calls through a pointer"};
  const Material& material = request.material;
  if (Obstacle found = no_linkable_code(material)) return found;
  if (material.packed) return linker_obstacle(request, tools, material.ptx_made_by);
  if (request.bakes_state && !material.source)
    return {Kind::Unfit, "a baked state needs a compiled adapter, and this route has none for a compiled callback"};
  const bool needs_nvrtc = material.source || !material.types_known;
  if (needs_nvrtc)
    if (Obstacle found = missing(tools.nvrtc)) return found;
  return linker_obstacle(request, tools, needs_nvrtc ? tools.nvrtc.version : Version{});
}

Obstacle host_obstacle(const RouteRequest& request, const Tools& tools) {
  const Material& material = request.material;
  if (!material.source) return {Kind::Unfit, base::format("{} is not source", material.name)};
  if (material.has_link_inputs)
    return {Kind::Unfit, base::format("{} has link inputs, which are code for GPUs", material.name)};
  return missing(tools.host_compiler);
}

Obstacle obstacle(Route route, const RouteRequest& request, const Tools& tools) {
  if (request.material.finished == route) return {};
  switch (route) {
    case Route::Lto:
      return lto_obstacle(request, tools);
    case Route::Program:
      return program_obstacle(request, tools);
    case Route::Ptx:
      return ptx_obstacle(request, tools);
    case Route::Indirect:
      return indirect_obstacle(request, tools);
    case Route::Host:
      break;
  }
  return host_obstacle(request, tools);
}

// Returns why the route was not taken: the reason of the obstacle `found`. If the pack has a kernel for this route, but
// with another tuning than the request requires, the text that says so (Material::misfits) comes first. The text
// replaces an Unfit obstacle, which then says only that the pack has no kernel for the route.
std::string with_misfit(Route route, const Material& material, Obstacle found) {
  const auto misfit = material.misfits.find(route);
  if (misfit == material.misfits.end()) return std::move(found.reason);
  return found.kind == Kind::Unfit ? misfit->second : misfit->second + "; " + found.reason;
}

std::string unwanted(Route route, const RouteChoice& choice) {
  if (choice.required && *choice.required != route)
    return std::string("the caller requires ") + std::string(name(*choice.required));
  if (std::find(choice.forbidden.begin(), choice.forbidden.end(), route) != choice.forbidden.end())
    return "the caller forbids it";
  if (route == Route::Host && !choice.required) return "it runs on the CPU, and is taken only when it is required";
  return {};
}

RouteDecision choose(const RouteRequest& request, const Tools& tools, bool accept_unwise) {
  RouteDecision decision;
  for (const Route route : request.material.program_first ? kProgramFirst : kOrder) {
    if (std::string reason = unwanted(route, request.choice); !reason.empty()) {
      decision.not_taken.push_back({route, std::move(reason)});
      continue;
    }
    Obstacle found = obstacle(route, request, tools);
    if (!found || (found.kind == Kind::Unwise && accept_unwise)) {
      decision.from_other_major = found.kind == Kind::Unwise;
      decision.route = route;
      return decision;
    }
    // A route that the callback does not fit stays out with all tools, unless they call the architecture otherwise.
    decision.depends_on_tools |= found.kind != Kind::Unfit || found.wanted != Version{};
    decision.lacks_tool |= found.kind == Kind::Missing;
    decision.lacks_newer |= found.kind == Kind::TooOld;
    if (found.kind == Kind::TooOld && found.wanted != Version{} &&
        (decision.wanted == Version{} || found.wanted < decision.wanted))
      decision.wanted = found.wanted;
    decision.not_taken.push_back({route, with_misfit(route, request.material, std::move(found))});
  }
  return decision;
}

}  // namespace

RouteDecision choose_route(const RouteRequest& request, const Tools& tools) {
  RouteDecision decision = choose(request, tools, false);
  return decision.route ? decision : choose(request, tools, true);
}

std::string orders_of_routes() {
  const auto names = [](const Order& order) {
    std::vector<std::string_view> all;
    for (const Route route : order) all.push_back(name(route));
    return base::join(all, " ");
  };
  return names(kOrder) + ", " + names(kProgramFirst);
}

std::optional<std::size_t> choose_building_blocks(const Version& nvjitlink, const std::vector<Version>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].major == 0 || (blocks[i].major == nvjitlink.major && blocks[i] <= nvjitlink)) return i;
  return std::nullopt;
}

bool compiles_for(const ToolState& nvrtc, Architecture architecture) {
  const std::vector<int>& known = nvrtc.architectures;
  if (known.empty()) return true;
  // The list has numbers alone, so whether a family-specific target (sm_100f) is known follows from the version.
  return std::ranges::find(known, architecture.number) != known.end() &&
         (architecture.suffix != 'f' || may_know(nvrtc.version, architecture));
}

std::string does_not_compile_for(const ToolState& nvrtc, Architecture architecture) {
  return base::format("NVRTC {} does not compile for {}{}", nvrtc.version.text(), architecture.sm(),
                      who_does("NVRTC", architecture));
}

std::string remedy_for_missing_tools(const ToolState& driver) {
  const bool is_older = driver.available && driver.version.major == 12;
  return base::format(
      "Install {} (or NVIDIA's wheels nvidia-cuda-nvrtc{} and nvidia-nvjitlink{}), or set GRAFT_CUDA_PATH to the "
      "absolute path of it.",
      is_older ? "a CUDA toolkit 12.4 to 12.9, which the driver can run" : "the CUDA toolkit", is_older ? "-cu12" : "",
      is_older ? "-cu12" : "");
}

std::string remedy_for_missing_linker(const ToolState& driver, bool has_ptx) {
  const bool is_older = driver.available && driver.version.major == 12;
  return base::format(
      "A pack needs no compiler. Install nvJitLink (NVIDIA's wheel nvidia-nvjitlink{}, or {}){}, or set "
      "GRAFT_CUDA_PATH to the absolute path of its folder.",
      is_older ? "-cu12" : "", is_older ? "a CUDA toolkit 12.4 to 12.9" : "the CUDA toolkit",
      has_ptx && !driver.available ? " or NVIDIA's driver" : "");
}

std::string remedy_for_old_tools(const ToolState& driver, const Version& wanted) {
  if (wanted == Version{}) return "Install a newer CUDA toolkit, or point GRAFT_CUDA_PATH to one.";
  std::string remedy =
      base::format("Install the CUDA toolkit {} or newer, or point GRAFT_CUDA_PATH to one.", wanted.text());
  if (driver.available && wanted.major > driver.version.major)
    remedy += base::format(" Its kernels also need a newer driver: this one is for CUDA {}.", driver.version.text());
  return remedy;
}

std::optional<PtxLinker> choose_ptx_linker(const Tools& tools, const Version& made_by,
                                           std::optional<Architecture> architecture) {
  const auto reads = [&](const ToolState& linker) { return linker.available && linker.version >= made_by; };
  // The driver is not asked which architectures it knows, because it knows at least that of its own device.
  if (reads(tools.nvjitlink) && links_for(tools, architecture)) return PtxLinker::NvJitLink;
  if (reads(tools.driver)) return PtxLinker::Driver;
  return std::nullopt;
}

}  // namespace graft::plan
