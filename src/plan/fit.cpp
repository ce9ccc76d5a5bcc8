// Each function makes one finding, or nothing if a part that it is about is missing: doctor's other lines say what is
// missing.
#include "plan/fit.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "plan/architectures.hpp"

namespace graft::plan {
namespace {

// The tools of one toolkit may have different versions only if somebody put them together by hand. The newer one then
// decides which driver the kernels need.
std::optional<Version> newest_tool(const Tools& tools) {
  if (!tools.nvrtc.available && !tools.nvjitlink.available) return std::nullopt;
  return std::max(tools.nvrtc.version, tools.nvjitlink.version);
}

std::optional<Fit> driver_and_tools(const Tools& tools) {
  const std::optional<Version> newest = newest_tool(tools);
  if (!newest || !tools.driver.available) return std::nullopt;
  const std::string driver = tools.driver.version.text();
  Fit fit{"driver and tools", newest->major <= tools.driver.version.major, {}};
  if (!fit.fits)
    fit.text = base::format(
        "the driver, for CUDA {}, loads no kernel that tools of CUDA {} make; use tools of CUDA {}, or install a "
        "driver for CUDA {}",
        driver, newest->text(), tools.driver.version.major, newest->major);
  else if (*newest > tools.driver.version)
    fit.text = base::format("the driver, for CUDA {}, loads kernels of the tools' CUDA {}, but compiles no PTX of it",
                            driver, newest->text());
  else
    fit.text = base::format("the driver, for CUDA {}, loads kernels and compiles PTX of the tools' CUDA {}", driver,
                            newest->text());
  return fit;
}

std::optional<Fit> compiler_and_linker(const Tools& tools) {
  if (!tools.nvrtc.available || !tools.nvjitlink.available) return std::nullopt;
  const std::string nvrtc = tools.nvrtc.version.text();
  const std::string linker = tools.nvjitlink.version.text();
  if (tools.nvjitlink.version >= tools.nvrtc.version)
    return Fit{"NVRTC and nvJitLink", true, base::format("nvJitLink {} links what NVRTC {} compiles", linker, nvrtc)};
  return Fit{"NVRTC and nvJitLink", false,
             base::format("nvJitLink {} is older than NVRTC {}, and refuses its LTO-IR and PTX; use both tools of one "
                          "toolkit",
                          linker, nvrtc)};
}

std::optional<Fit> linker_and_blocks(const Tools& tools) {
  if (!tools.nvjitlink.available || tools.blocks.empty()) return std::nullopt;
  const std::string linker = tools.nvjitlink.version.text();
  std::string copies;
  for (const Version& block : tools.blocks) copies += (copies.empty() ? "" : " and ") + block.text();
  Fit fit{"nvJitLink and graft's LTO-IR", true, {}};
  if (const auto copy = choose_building_blocks(tools.nvjitlink.version, tools.blocks)) {
    fit.text = base::format("nvJitLink {} links graft's LTO-IR of CUDA {}", linker, tools.blocks[*copy].text());
  } else if (tools.nvrtc.available) {
    fit.text =
        base::format("nvJitLink {} refuses graft's LTO-IR of CUDA {}, and NVRTC {} makes it again for each kernel",
                     linker, copies, tools.nvrtc.version.text());
  } else {
    fit.fits = false;
    fit.text = base::format(
        "nvJitLink {} refuses graft's LTO-IR of CUDA {}, and without NVRTC it cannot be made again, so packs are "
        "linked from their PTX (route program); install NVRTC, or use a graft that was built with GRAFT_OLDER_NVRTC",
        linker, copies);
  }
  return fit;
}

std::optional<Fit> compiler_and_gpu(const Tools& tools, Architecture gpu) {
  if (!tools.nvrtc.available) return std::nullopt;
  if (compiles_for(tools.nvrtc, gpu))
    return Fit{"NVRTC and GPU", true, base::format("NVRTC {} compiles for {}", tools.nvrtc.version.text(), gpu.sm())};
  return Fit{"NVRTC and GPU", false, does_not_compile_for(tools.nvrtc, gpu)};
}

// nvJitLink has no list of architectures, so its version decides.
std::optional<Fit> linker_and_gpu(const Tools& tools, Architecture gpu) {
  if (!tools.nvjitlink.available || !first_version(gpu)) return std::nullopt;
  const std::string linker = tools.nvjitlink.version.text();
  if (may_know(tools.nvjitlink.version, gpu))
    return Fit{"nvJitLink and GPU", true, base::format("nvJitLink {} links for {}", linker, gpu.sm())};
  return Fit{"nvJitLink and GPU", false,
             base::format("nvJitLink {} does not link for {}{}", linker, gpu.sm(), who_does("nvJitLink", gpu))};
}

// Lists the architectures for which another version of CUDA has to be installed. This is no fault of the machine as
// long as it has none of these GPUs.
std::optional<Fit> missing_architectures(const Tools& tools) {
  if (!tools.nvrtc.available) return std::nullopt;
  std::string missing;
  for (const Architecture architecture : known_architectures())
    if (!compiles_for(tools.nvrtc, architecture))
      missing +=
          base::format("{}{}{}", missing.empty() ? "" : ", ", architecture.sm(), who_does("NVRTC", architecture));
  if (missing.empty()) return std::nullopt;
  return Fit{
      "NVRTC and architectures", true,
      base::format("NVRTC {} compiles for every GPU that graft knows, except {}", tools.nvrtc.version.text(), missing)};
}

}  // namespace

std::vector<Fit> fits(const Tools& tools, const std::vector<Architecture>& gpus) {
  std::vector<Fit> all;
  const auto add = [&](std::optional<Fit> fit) {
    const auto is_known = [&](const Fit& other) { return other.text == fit->text; };
    if (fit && std::ranges::none_of(all, is_known)) all.push_back(std::move(*fit));
  };
  add(driver_and_tools(tools));
  add(compiler_and_linker(tools));
  add(linker_and_blocks(tools));
  for (const Architecture gpu : gpus) {
    add(compiler_and_gpu(tools, gpu));
    add(linker_and_gpu(tools, gpu));
  }
  add(missing_architectures(tools));
  return all;
}

}  // namespace graft::plan
