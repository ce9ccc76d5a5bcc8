// Tests the choice of a route with tables. For each request and set of available tools, a row has the expected route
// and the reasons against the other routes.
#include "plan/route.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graft::plan {
namespace {

constexpr Version kOld = {12, 9};
constexpr Version kNew = {13, 0};

ToolState tool(Version version, std::vector<int> architectures = {}) {
  return {true, "", version, std::move(architectures)};
}
ToolState no(const char* name) {
  return {false, fmt::format("no {}", name), {}, {}};
}

// Returns the tools of a machine with these versions of NVRTC and nvJitLink (0 means missing), and optionally a driver
// and a host compiler.
Tools tools(Version nvrtc, Version nvjitlink, bool driver = false, bool host_compiler = false) {
  return {nvrtc.major == 0 ? no("NVRTC") : tool(nvrtc, {75, 80, 90}),
          nvjitlink.major == 0 ? no("nvJitLink") : tool(nvjitlink), driver ? tool(kNew) : no("driver"),
          host_compiler ? tool({}) : no("C++ compiler")};
}

const Tools kAll = tools(kNew, kNew, true, true);
const Tools kToolkit = tools(kNew, kNew);
const Tools kNvrtcAlone = tools(kNew, {});
const Tools kOldLinker = tools(kNew, kOld);
const Tools kNvrtcAndDriver = tools(kNew, {}, true);
const Tools kLinkerAlone = tools({}, kNew);
const Tools kDriverAlone = tools({}, {}, true);
const Tools kCompilerAlone = tools({}, {}, false, true);
const Tools kNothing = tools({}, {});

Material source() {
  return {.source = true, .types_known = false, .name = "f"};
}
Material ltoir(Version made_by = kNew) {
  return {.source = false, .ltoir = true, .ltoir_made_by = made_by, .name = "f"};
}
Material ptx(bool types_known = true) {
  return {.source = false, .ptx = true, .types_known = types_known, .name = "f"};
}
Material machine_code() {
  return {.source = false, .machine_code = true, .types_known = true, .name = "f"};
}
Material fatbin(Version made_by) {
  return {.source = false, .ltoir = true, .ptx = true, .types_known = true, .ltoir_made_by = made_by, .name = "f"};
}

// A source with link inputs. `without_code` is the name of one that is LTO-IR alone.
Material linked(std::string without_code, Version made_by = {}) {
  return {.source = true,
          .ltoir_made_by = made_by,
          .newest_ltoir = made_by.major == 0 ? "" : "h",
          .has_link_inputs = true,
          .link_input_without_code = std::move(without_code),
          .name = "f"};
}

// Describes a decision as text, for example "host; not lto: the caller forbids it".
std::string text(const RouteDecision& decision) {
  std::string out(decision.route ? name(*decision.route) : "none");
  for (const Report::RouteNotTaken& other : decision.not_taken)
    out += fmt::format("; not {}: {}", name(other.route), other.reason);
  return out;
}

struct Row {
  Material material;
  Tools tools;
  std::string expected;
  RouteChoice choice = {};
  int architecture = 90;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    EXPECT_EQ(text(choose_route({row.choice, row.material, Architecture(row.architecture)}, row.tools)), row.expected);
}

const std::string kOnCpu = "; not host: it runs on the CPU, and is taken only when it is required";
const std::string kNoPtx =
    "; not ptx: f has neither PTX nor machine code; not indirect: f has neither PTX nor machine code";
const std::string kNoLtoNoSource = "; not lto: f has no LTO-IR; not program: f is not source";

TEST(RouteChoice, IsTheFirstThatCanWork) {
  const std::string old_linker = "; not lto: nvJitLink 12.9 is older than NVRTC 13.0, and refuses its LTO-IR";
  check({
      {source(), kAll, "lto"},
      {source(), kToolkit, "lto"},
      {source(), kNvrtcAlone, "program; not lto: no nvJitLink"},
      {source(), kOldLinker, "program" + old_linker},
      {source(), kLinkerAlone,
       "none; not lto: no NVRTC; not program: no NVRTC; not ptx: no NVRTC; not indirect: no NVRTC" + kOnCpu},
      {source(), kCompilerAlone,
       "none; not lto: no NVRTC; not program: no NVRTC; not ptx: no NVRTC; not indirect: no NVRTC" + kOnCpu},

      {ltoir(), kToolkit, "lto"},
      {ltoir(), kNvrtcAlone, "none; not lto: no nvJitLink; not program: f is not source" + kNoPtx + kOnCpu},
      {ltoir(), kLinkerAlone, "none; not lto: no NVRTC; not program: f is not source" + kNoPtx + kOnCpu},
      {ltoir({13, 5}), kToolkit,
       "none; not lto: nvJitLink 13.0 is older than the LTO-IR of f, which CUDA 13.5 made; not program: f is not "
       "source" +
           kNoPtx + kOnCpu},
      {fatbin({13, 5}), kToolkit,
       "ptx; not lto: nvJitLink 13.0 is older than the LTO-IR of f, which CUDA 13.5 made; not program: f is not "
       "source"},
      {ltoir(), kOldLinker, "none" + old_linker + "; not program: f is not source" + kNoPtx + kOnCpu},

      {ptx(), kToolkit, "ptx" + kNoLtoNoSource},
      {ptx(), kNvrtcAndDriver, "ptx" + kNoLtoNoSource},
      {ptx(), kDriverAlone, "indirect" + kNoLtoNoSource + "; not ptx: no NVRTC"},
      {ptx(), kLinkerAlone, "indirect" + kNoLtoNoSource + "; not ptx: no NVRTC"},
      {ptx(false), kDriverAlone, "none" + kNoLtoNoSource + "; not ptx: no NVRTC; not indirect: no NVRTC" + kOnCpu},
      {ptx(), kNvrtcAlone,
       "none" + kNoLtoNoSource +
           "; not ptx: no linker: no nvJitLink; no driver; not indirect: no linker: no "
           "nvJitLink; no driver" +
           kOnCpu},
      // The linker is older than NVRTC and refuses the PTX that NVRTC would write. It can still link the user's PTX
      // with the PTX that graft ships, which is older.
      {ptx(), kOldLinker,
       "indirect" + kNoLtoNoSource +
           "; not ptx: nvJitLink 12.9 is older than NVRTC 13.0, and refuses its PTX; no driver"},
      {ptx(), tools(kNew, kOld, true), "ptx" + kNoLtoNoSource},

      {machine_code(), kToolkit, "ptx" + kNoLtoNoSource},
      {machine_code(), kDriverAlone, "indirect" + kNoLtoNoSource + "; not ptx: no NVRTC"},
  });
}

TEST(RouteChoice, OfLinkInputsIsARouteThatLinks) {
  const std::string links_nothing = "; not program: f has link inputs, and this route links nothing";
  const std::string no_code =
      "; not ptx: the link input h has neither PTX nor machine code; not indirect: the link input h has neither PTX "
      "nor "
      "machine code";
  check({
      {linked("h", kNew), kAll, "lto"},
      {linked(""), kAll, "lto"},
      {linked(""), kNvrtcAndDriver, "ptx; not lto: no nvJitLink" + links_nothing},
      {linked("h", kNew), kNvrtcAndDriver, "none; not lto: no nvJitLink" + links_nothing + no_code + kOnCpu},
      {linked("h", {13, 5}), kToolkit,
       "none; not lto: nvJitLink 13.0 is older than the LTO-IR of h, which CUDA 13.5 made" + links_nothing + no_code +
           kOnCpu},
      {linked(""),
       kAll,
       "none; not lto: the caller requires host; not program: the caller requires host; not ptx: the caller requires "
       "host; not indirect: the caller requires host; not host: f has link inputs, which are code for GPUs",
       {.required = Route::Host}},
  });
}

TEST(RouteChoice, PrefersAnotherRouteToLtoIrOfAnotherMajor) {
  const std::string unwise =
      "; not lto: the callback's LTO-IR was made by CUDA 12.9, and nvJitLink 13.0 does not guarantee to link LTO-IR of "
      "another major version";
  check({
      {fatbin(kNew), kToolkit, "lto"},
      {fatbin(kOld), kToolkit, "ptx" + unwise + "; not program: f is not source"},
      {fatbin(kOld), kToolkit, "lto", {.required = Route::Lto}},
      {fatbin(kOld), kToolkit, "lto", {.forbidden = {Route::Ptx, Route::Indirect}}},
      {ltoir(kOld), kToolkit, "lto"},
      {ltoir({}), kToolkit, "lto"},
  });
  EXPECT_TRUE(choose_route({{}, ltoir(kOld), Architecture(90)}, kToolkit).from_other_major);
  EXPECT_FALSE(choose_route({{}, ltoir(kNew), Architecture(90)}, kToolkit).from_other_major);
  EXPECT_FALSE(choose_route({{}, ltoir({}), Architecture(90)}, kToolkit).from_other_major);
}

TEST(RouteChoice, LeavesAnUnknownArchitectureToTheDriver) {
  const std::string unknown = ": NVRTC 13.0 does not compile for sm_300";
  const std::string too_new = "; not lto" + unknown + "; not program" + unknown;
  check({
      {source(), kNvrtcAndDriver, "ptx; not lto: no nvJitLink; not program" + unknown, {}, 300},
      {source(), kAll, "ptx" + too_new, {}, 300},
      {source(),
       kToolkit,
       "none; not lto" + unknown + "; not program" + unknown + "; not ptx" + unknown + "; not indirect" + unknown +
           kOnCpu,
       {},
       300},
      {ltoir(), kAll, "none; not lto" + unknown + "; not program: f is not source" + kNoPtx + kOnCpu, {}, 300},
  });
  EXPECT_TRUE(choose_route({{}, ltoir(), Architecture(300)}, kAll).lacks_newer);
}

TEST(RouteChoice, DoesAsTheCallerSays) {
  const auto requires_ = [](Route route) { return fmt::format(": the caller requires {}", name(route)); };
  const auto others = [&](Route wanted, const std::string& reason) {
    std::string out = "none";
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host})
      out += fmt::format("; not {}{}", name(route), route == wanted ? ": " + reason : requires_(wanted));
    return out;
  };
  const std::string forbidden = ": the caller forbids it";
  check({
      {source(), kAll, "lto", {.required = Route::Lto}},
      {source(), kAll, "program; not lto" + requires_(Route::Program), {.required = Route::Program}},
      {source(),
       kAll,
       "ptx; not lto" + requires_(Route::Ptx) + "; not program" + requires_(Route::Ptx),
       {.required = Route::Ptx}},
      {source(), kNvrtcAlone, others(Route::Lto, "no nvJitLink"), {.required = Route::Lto}},
      {source(), kNothing, others(Route::Program, "no NVRTC"), {.required = Route::Program}},
      {source(), kToolkit, others(Route::Host, "no C++ compiler"), {.required = Route::Host}},
      {ltoir(), kAll, others(Route::Host, "f is not source"), {.required = Route::Host}},
      {source(),
       kAll,
       others(Route::Lto, "the caller forbids it"),
       {.required = Route::Lto, .forbidden = {Route::Lto}}},
      {source(), kAll, "program; not lto" + forbidden, {.forbidden = {Route::Lto}}},
      {source(),
       kAll,
       "ptx; not lto" + forbidden + "; not program" + forbidden,
       {.forbidden = {Route::Program, Route::Lto}}},
      {source(), kAll, "lto", {.forbidden = {Route::Host}}},
  });
}

TEST(RouteChoice, SaysWhetherAToolIsWhatIsMissing) {
  EXPECT_TRUE(choose_route({{}, source(), Architecture(90)}, kNothing).lacks_tool);
  EXPECT_FALSE(choose_route({{.required = Route::Program}, ltoir(), Architecture(90)}, kNothing).lacks_tool);
  EXPECT_FALSE(choose_route({{.forbidden = {Route::Lto}}, ltoir(), Architecture(90)}, kNothing).lacks_tool);
}

TEST(PtxLinker, IsNvJitLinkUnlessItCannot) {
  const Architecture known(90);
  const Architecture unknown(300);
  EXPECT_EQ(choose_ptx_linker(kAll, kNew, known), PtxLinker::NvJitLink);
  EXPECT_EQ(choose_ptx_linker(kAll, kNew, unknown), PtxLinker::Driver);
  EXPECT_EQ(choose_ptx_linker(kToolkit, kNew, unknown), std::nullopt);
  EXPECT_EQ(choose_ptx_linker(kNvrtcAndDriver, kNew, known), PtxLinker::Driver);
  EXPECT_EQ(choose_ptx_linker(tools(kNew, kOld, true), kNew, known), PtxLinker::Driver);
  EXPECT_EQ(choose_ptx_linker(tools(kNew, kOld, true), {}, known), PtxLinker::NvJitLink);
  EXPECT_EQ(choose_ptx_linker(kDriverAlone, {}, known), PtxLinker::Driver);
  EXPECT_EQ(choose_ptx_linker(kDriverAlone, {13, 5}, known), std::nullopt);
  EXPECT_EQ(choose_ptx_linker(kNvrtcAlone, kNew, known), std::nullopt);
}

Material pack(Version made_by = kNew) {
  return {.source = false,
          .ltoir = true,
          .ptx = true,
          .ltoir_made_by = made_by,
          .name = "f",
          .packed = true,
          .program = true,
          .ptx_made_by = made_by};
}
Material finished(Route route) {
  Material material = pack();
  material.finished = route;
  return material;
}
// A pack made from a fatbin or an object. It has finished kernels, but nothing from which a kernel for another
// architecture could be built.
Material cubins_alone(std::optional<Route> route) {
  return {.source = false, .name = "f", .packed = true, .finished = route};
}
Tools with_building_blocks(Tools tools, std::vector<Version> blocks) {
  tools.blocks = std::move(blocks);
  return tools;
}

TEST(RouteChoice, OfAPackNeedsNoCompiler) {
  const std::string no_lto = "; not lto: no nvJitLink";
  const std::string no_linker = "no linker: no nvJitLink; no driver";
  check({
      {pack(), kAll, "lto"},
      {pack(), kLinkerAlone, "lto"},
      {pack(), kDriverAlone, "program" + no_lto},
      {pack(), kNvrtcAlone,
       "none" + no_lto + "; not program: " + no_linker + "; not ptx: " + no_linker + "; not indirect: " + no_linker +
           kOnCpu},
      {pack(), kDriverAlone, "ptx" + no_lto + "; not program: the caller forbids it", {.forbidden = {Route::Program}}},
      {pack(),
       kDriverAlone,
       "indirect" + no_lto + "; not program: the caller forbids it; not ptx: the caller forbids it",
       {.forbidden = {Route::Program, Route::Ptx}}},
      {pack(),
       kAll,
       "none; not lto: the caller requires host; not program: the caller requires host; not ptx: the caller requires "
       "host; not indirect: the caller requires host; not host: f is not source",
       {.required = Route::Host}},
  });
}

TEST(RouteChoice, OfAPackWithAFinishedKernelNeedsNothing) {
  check({
      {finished(Route::Lto), kNothing, "lto"},
      {finished(Route::Lto), kDriverAlone, "lto"},
      {finished(Route::Lto), kDriverAlone, "program; not lto: the caller forbids it", {.forbidden = {Route::Lto}}},
      {cubins_alone(Route::Ptx), kNothing,
       "ptx; not lto: f has no LTO-IR; not program: f has no PTX of the whole kernel"},
      {cubins_alone({}), kAll,
       "none; not lto: f has no LTO-IR; not program: f has no PTX of the whole kernel; not ptx: f has no PTX to link; "
       "not indirect: f has no PTX to link" +
           kOnCpu},
  });
}

TEST(RouteChoice, OfAPackMindsWhoMadeIt) {
  const std::string newer = "nvJitLink 13.0 is older than NVRTC 13.5, and refuses its PTX; no driver";
  check({
      {pack({13, 5}), kLinkerAlone,
       "none; not lto: nvJitLink 13.0 is older than the LTO-IR of f, which CUDA 13.5 made; not program: " + newer +
           "; not ptx: " + newer + "; not indirect: " + newer + kOnCpu},
      {pack({13, 5}), kDriverAlone,
       "none; not lto: no nvJitLink; not program: no linker for the PTX of NVRTC 13.5: no nvJitLink; the driver is for "
       "CUDA 13.0; not ptx: no linker for the PTX of NVRTC 13.5: no nvJitLink; the driver is for CUDA 13.0; not "
       "indirect: no linker for the PTX of NVRTC 13.5: no nvJitLink; the driver is for CUDA 13.0" +
           kOnCpu},
      {pack(kOld), kLinkerAlone,
       "program; not lto: the callback's LTO-IR was made by CUDA 12.9, and nvJitLink 13.0 does not guarantee to link "
       "LTO-IR of another major version"},
      // The linker must also accept the LTO-IR of graft's building block. If the linker is too old for this LTO-IR and
      // a compiler is available, graft compiles the building block again.
      {pack(kOld), with_building_blocks(tools({}, kOld), {kNew}),
       "program; not lto: nvJitLink 12.9 does not accept graft's own LTO-IR, which CUDA 13.0 made, and no compiler can "
       "make it again: no NVRTC"},
      {pack(kOld), with_building_blocks(tools(kOld, kOld), {kNew}), "lto"},
      {pack(), with_building_blocks(tools({}, {13, 5}), {kNew}), "lto"},
      // With a second copy for CUDA 12, no compiler is needed.
      {pack(kOld), with_building_blocks(tools({}, kOld), {kNew, {12, 4}}), "lto"},
      {pack({12, 4}), with_building_blocks(tools({}, {12, 4}), {kNew, {12, 4}}), "lto"},
      // A compiler does not help a linker that is older than the pack, so the reason does not ask for one.
      {pack(), with_building_blocks(tools({}, kOld, true), {kNew}),
       "program; not lto: nvJitLink 12.9 is older than the LTO-IR of f, which CUDA 13.0 made"},
  });
}

TEST(RouteChoice, OfBuildingBlocksIsTheFirstCopyThatTheLinkerAccepts) {
  const std::vector<Version> one = {kNew};
  const std::vector<Version> two = {kNew, {12, 4}};
  struct Case {
    Version nvjitlink;
    std::optional<std::size_t> of_one;
    std::optional<std::size_t> of_two;
  };
  for (const Case& c :
       {Case{{12, 4}, {}, 1}, Case{{12, 9}, {}, 1}, Case{{13, 0}, 0, 0}, Case{{13, 5}, 0, 0}, Case{{14, 0}, {}, {}}}) {
    EXPECT_EQ(choose_building_blocks(c.nvjitlink, one), c.of_one) << c.nvjitlink.text();
    EXPECT_EQ(choose_building_blocks(c.nvjitlink, two), c.of_two) << c.nvjitlink.text();
  }
  EXPECT_EQ(choose_building_blocks({12, 4}, {Version{12, 9}}), std::nullopt);
  EXPECT_EQ(choose_building_blocks({12, 4}, {}), std::nullopt);
}

// The pack of a family whose kernels link no building blocks needs no copy of them that the linker accepts.
TEST(RouteChoice, OfAPackWithoutBuildingBlocksNeedsNoneOfThem) {
  const Tools old_linker = with_building_blocks(tools({}, {12, 4}), {kNew});
  Material material = pack(Version{12, 4});
  RouteRequest request = {.choice = {}, .material = material, .architecture = Architecture(90)};
  EXPECT_EQ(choose_route(request, old_linker).route, Route::Program);
  request.links_blocks = false;
  const RouteDecision decision = choose_route(request, old_linker);
  EXPECT_EQ(decision.route, Route::Lto);
  EXPECT_TRUE(decision.not_taken.empty());
}

// An architecture that a tool does not know is refused by its name, with the versions that know it. The remedy names
// the version to install, and a driver that is too old for it.
TEST(RouteChoice, OfAnArchitectureThatTheToolsDoNotKnow) {
  constexpr Version k128 = {12, 8};
  const auto old_tools = [&](bool compiler, bool driver) {
    Tools all = tools(compiler ? k128 : Version{}, k128);
    if (compiler) all.nvrtc.architectures = {75, 80, 86, 87, 89, 90, 100, 101, 120};
    if (driver) all.driver = tool({12, 9});
    return all;
  };
  const std::string compiler = ": NVRTC 12.8 does not compile for sm_103 (NVRTC 12.9 and newer do)";
  const std::string linker = ": nvJitLink 12.8 does not link for sm_103 (nvJitLink 12.9 and newer do)";
  check({
      {source(),
       old_tools(true, false),
       "none; not lto" + compiler + "; not program" + compiler + "; not ptx" + compiler + "; not indirect" + compiler +
           kOnCpu,
       {},
       103},
      {source(), old_tools(true, true), "ptx; not lto" + compiler + "; not program" + compiler, {}, 103},
      {source(), old_tools(true, false), "lto", {}, 100},
      {pack(k128),
       old_tools(false, false),
       "none; not lto" + linker + "; not program" + linker + "; not ptx" + linker + "; not indirect" + linker + kOnCpu,
       {},
       103},
      {pack(k128), old_tools(false, true), "program; not lto" + linker, {}, 103},
  });
  EXPECT_EQ(choose_route({{}, source(), Architecture(103)}, old_tools(true, false)).wanted, (Version{12, 9}));
  EXPECT_EQ(choose_route({{}, source(), Architecture(110)}, old_tools(true, false)).wanted, kNew);
  EXPECT_EQ(choose_route({{}, source(), Architecture(100, 'f')}, old_tools(true, false)).wanted, (Version{12, 9}));
  EXPECT_EQ(remedy_for_old_tools(no("driver"), {12, 9}),
            "Install the CUDA toolkit 12.9 or newer, or point GRAFT_CUDA_PATH to one.");
  EXPECT_EQ(remedy_for_old_tools(tool({12, 4}), {13, 0}),
            "Install the CUDA toolkit 13.0 or newer, or point GRAFT_CUDA_PATH to one. Its kernels also need a newer "
            "driver: this one is for CUDA 12.4.");
}

TEST(RouteChoice, OfAnArchitectureThatNewerToolsCallOtherwise) {
  const Tools all = tools(kNew, kNew);
  const RouteDecision decision = choose_route({{.required = Route::Program}, source(), Architecture(101)}, all);
  EXPECT_FALSE(decision.lacks_newer);
  EXPECT_NE(text(decision).find("NVRTC 13.0 does not compile for sm_101 (NVRTC 12.8 and newer of CUDA 12 do; CUDA 13.0 "
                                "calls it sm_110)"),
            std::string::npos)
      << text(decision);
}

TEST(RouteChoice, RemediesNameToolsThatTheDriverCanRun) {
  EXPECT_EQ(remedy_for_missing_tools(no("driver")),
            "Install the CUDA toolkit (or NVIDIA's wheels nvidia-cuda-nvrtc and nvidia-nvjitlink), or set "
            "GRAFT_CUDA_PATH to the absolute path of it.");
  EXPECT_EQ(remedy_for_missing_tools(tool(kNew)), remedy_for_missing_tools(no("driver")));
  EXPECT_NE(remedy_for_missing_linker(no("driver"), true).find(" or NVIDIA's driver"), std::string::npos);
  EXPECT_EQ(remedy_for_missing_linker(no("driver"), false).find("driver"), std::string::npos);
  EXPECT_NE(remedy_for_missing_linker(tool({12, 4}), true).find("nvidia-nvjitlink-cu12"), std::string::npos);
  EXPECT_EQ(remedy_for_missing_linker(tool({12, 4}), true).find("or NVIDIA's driver"), std::string::npos);
  EXPECT_EQ(remedy_for_missing_tools(tool({12, 4})),
            "Install a CUDA toolkit 12.4 to 12.9, which the driver can run (or NVIDIA's wheels nvidia-cuda-nvrtc-cu12 "
            "and nvidia-nvjitlink-cu12), or set GRAFT_CUDA_PATH to the absolute path of it.");
}

// For every driver, NVRTC and nvJitLink, sources take the first route that the versions allow. The expectation is
// written from NVIDIA's rules: a linker, also the driver's, takes LTO-IR and PTX of no newer compiler.
TEST(RouteChoice, OfEveryDriverWithAllTools) {
  const std::vector<Version> versions = {{}, {12, 0}, {12, 4}, {12, 8}, {12, 9}, {13, 0}, {13, 5}};
  int cases = 0;
  for (const Version driver : versions)
    for (const Version nvrtc : versions)
      for (const Version nvjitlink : versions) {
        Tools all = tools(nvrtc, nvjitlink);
        if (driver.major != 0) all.driver = tool(driver);
        const bool compiles = nvrtc.major != 0;
        const bool links = nvjitlink.major != 0 && nvjitlink >= nvrtc;
        const bool driver_links = driver.major != 0 && driver >= nvrtc;
        const auto decided = [&](Route route) {
          return choose_route({{.required = route}, source(), Architecture(90)}, all).route.has_value();
        };
        const std::string text =
            fmt::format("driver {}, NVRTC {}, nvJitLink {}", driver.text(), nvrtc.text(), nvjitlink.text());
        EXPECT_EQ(decided(Route::Lto), compiles && links) << text;
        EXPECT_EQ(decided(Route::Program), compiles) << text;
        EXPECT_EQ(decided(Route::Ptx), compiles && (links || driver_links)) << text;
        EXPECT_EQ(decided(Route::Indirect), compiles && (links || driver_links)) << text;
        ++cases;
      }
  EXPECT_EQ(cases, 343);
}

TEST(RouteChoice, NamesRoutes) {
  EXPECT_EQ(name(Route::Lto), "lto");
  EXPECT_EQ(name(Route::Program), "program");
  EXPECT_EQ(name(Route::Ptx), "ptx");
  EXPECT_EQ(name(Route::Indirect), "indirect");
  EXPECT_EQ(name(Route::Host), "host");
}

}  // namespace
}  // namespace graft::plan
