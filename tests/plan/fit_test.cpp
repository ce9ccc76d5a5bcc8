// Tests what `graft doctor` says about a driver, tools and GPUs that fit or do not fit, with tables.
#include "plan/fit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace graft::plan {
namespace {

const std::vector<int> kArchitecturesOf12_8 = {75, 80, 86, 87, 89, 90, 100, 101, 120};
const std::vector<int> kArchitecturesOf13_0 = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

ToolState tool(Version version) {
  return version.major == 0 ? ToolState{} : ToolState{true, {}, version, {}};
}

Tools tools(Version driver, Version nvrtc, Version nvjitlink, std::vector<Version> blocks = {{13, 0}}) {
  Tools all;
  all.driver = tool(driver);
  all.nvrtc = tool(nvrtc);
  all.nvjitlink = tool(nvjitlink);
  all.blocks = std::move(blocks);
  if (nvrtc.major != 0) all.nvrtc.architectures = nvrtc.major == 12 ? kArchitecturesOf12_8 : kArchitecturesOf13_0;
  return all;
}

// Returns the findings about one pair of parts: "yes: nvJitLink 13.0 links ...".
std::string about(const std::string& what, const Tools& tools, const std::vector<Architecture>& gpus = {}) {
  std::string text;
  for (const Fit& fit : fits(tools, gpus))
    if (fit.what == what) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", fit.fits ? "yes" : "no", fit.text);
  return text;
}

TEST(Fit, OfDriverAndTools) {
  const auto of = [](Version driver, Version both) { return about("driver and tools", tools(driver, both, both)); };
  EXPECT_EQ(of({12, 4}, {12, 4}),
            "yes: the driver, for CUDA 12.4, loads kernels and compiles PTX of the tools' CUDA 12.4");
  EXPECT_EQ(of({12, 4}, {12, 9}),
            "yes: the driver, for CUDA 12.4, loads kernels of the tools' CUDA 12.9, but compiles no PTX of it");
  EXPECT_EQ(of({12, 9}, {13, 0}),
            "no: the driver, for CUDA 12.9, loads no kernel that tools of CUDA 13.0 make; use tools of CUDA 12, or "
            "install a driver for CUDA 13");
  EXPECT_EQ(of({13, 0}, {12, 4}),
            "yes: the driver, for CUDA 13.0, loads kernels and compiles PTX of the tools' CUDA 12.4");
  EXPECT_EQ(of({}, {13, 0}), "");
  EXPECT_EQ(about("driver and tools", tools({13, 0}, {}, {})), "");
}

// A finding never contradicts the choice of a route.
TEST(Fit, AgreesWithTheChoiceOfRoutes) {
  const std::vector<Version> versions = {{}, {12, 4}, {12, 8}, {13, 0}, {13, 5}};
  const Material source = {.source = true, .name = "f"};
  for (const Version driver : versions)
    for (const Version nvrtc : versions)
      for (const Version nvjitlink : versions)
        for (const Architecture gpu : {90, 103}) {
          const Tools all = tools(driver, nvrtc, nvjitlink);
          const auto works = [&](Route route) {
            return choose_route({{.required = route}, source, gpu}, all).route.has_value();
          };
          const std::string text = fmt::format("driver {}, NVRTC {}, nvJitLink {}, {}", driver.text(), nvrtc.text(),
                                               nvjitlink.text(), gpu.sm());
          const std::string pair = about("NVRTC and nvJitLink", all);
          const std::string compiler = about("NVRTC and GPU", all, {gpu});
          EXPECT_EQ(works(Route::Program), compiler.starts_with("yes")) << text;
          EXPECT_EQ(works(Route::Lto), compiler.starts_with("yes") && pair.starts_with("yes")) << text;
          EXPECT_EQ(pair.empty(), nvrtc.major == 0 || nvjitlink.major == 0) << text;
        }
}

TEST(Fit, OfLinkerAndBuildingBlocks) {
  const auto of = [](Version nvrtc, Version nvjitlink, std::vector<Version> blocks) {
    return about("nvJitLink and graft's LTO-IR", tools({}, nvrtc, nvjitlink, std::move(blocks)));
  };
  const Version none;
  EXPECT_EQ(of(none, {13, 0}, {{13, 0}}), "yes: nvJitLink 13.0 links graft's LTO-IR of CUDA 13.0");
  EXPECT_EQ(of({12, 4}, {12, 4}, {{13, 0}}),
            "yes: nvJitLink 12.4 refuses graft's LTO-IR of CUDA 13.0, and NVRTC 12.4 makes it again for each kernel");
  EXPECT_EQ(of({12, 9}, {12, 9}, {{13, 0}, {12, 4}}), "yes: nvJitLink 12.9 links graft's LTO-IR of CUDA 12.4");
  EXPECT_EQ(
      of(none, {12, 4}, {{13, 0}}),
      "no: nvJitLink 12.4 refuses graft's LTO-IR of CUDA 13.0, and without NVRTC it cannot be made again, so packs "
      "are linked from their PTX (route program); install NVRTC, or use a graft that was built with "
      "GRAFT_OLDER_NVRTC");
  EXPECT_EQ(of({12, 4}, none, {{13, 0}}), "");
}

TEST(Fit, OfArchitectures) {
  const Tools old = tools({12, 9}, {12, 8}, {12, 8});
  EXPECT_EQ(about("NVRTC and GPU", old, {Architecture(90), Architecture(103)}),
            "yes: NVRTC 12.8 compiles for sm_90; no: NVRTC 12.8 does not compile for sm_103 (NVRTC 12.9 and newer do)");
  EXPECT_EQ(about("nvJitLink and GPU", old, {Architecture(103)}),
            "no: nvJitLink 12.8 does not link for sm_103 (nvJitLink 12.9 and newer do)");
  EXPECT_EQ(about("NVRTC and GPU", old, {Architecture(90), Architecture(90)}), "yes: NVRTC 12.8 compiles for sm_90");
  EXPECT_EQ(about("NVRTC and architectures", old),
            "yes: NVRTC 12.8 compiles for every GPU that graft knows, except sm_88 (NVRTC 13.0 and newer do), sm_103 "
            "(NVRTC 12.9 and newer do), "
            "sm_107 (NVRTC 13.4 and newer do), sm_110 (NVRTC 13.0 and newer do), sm_121 (NVRTC 12.9 and newer do)");
}

}  // namespace
}  // namespace graft::plan
