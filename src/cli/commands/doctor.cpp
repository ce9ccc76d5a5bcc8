// Each section of the diagnosis is made by one function here. The function makes the section's text and its JSON from
// the same values, so that the two cannot disagree. diagnose() at the end lists the sections in the order of the
// output.
#include "cli/commands/doctor.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/environment.hpp"
#include "base/format.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/build_options.hpp"
#include "cli/commands/devices.hpp"
#include "cli/output/printable.hpp"
#include "cli/tune/tuning_words.hpp"
#include "compile/open_tools.hpp"
#include "engine/cache_settings.hpp"
#include "engine/tunings.hpp"
#include "graft/error.hpp"
#include "graft/route.hpp"
#include "graft/transform.hpp"
#include "graft/version.hpp"
#include "plan/fit.hpp"
#include "store/disk.hpp"
#include "store/folder.hpp"
#include "store/tuning_place.hpp"
#include "toolchain/driver.hpp"
#include "toolchain/host_compiler.hpp"
#include "toolchain/toolkit.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

Section graft_section() {
  return {"graft", base::format("graft {}\n", GRAFT_VERSION_STRING), GRAFT_VERSION_STRING};
}

Section driver_section() {
  std::string why;
  const toolchain::Driver* const driver = toolchain::Driver::find(why);
  if (driver == nullptr)
    return {"driver", base::format("driver: none ({})\n", printable(why)), {{"found", false}, {"why", why}}};
  return {"driver",
          base::format("driver: {}, for CUDA {}\n", printable(driver->path()), driver->version().text()),
          {{"found", true}, {"path", driver->path()}, {"cuda", driver->version().text()}}};
}

Section devices_section() {
  std::string why;
  Section section{"devices", {}, json::array()};
  for (const Device& device : find_devices(why)) {
    section.text += base::format("device {}: {}, {}, {:.1f} GiB\n", device.ordinal, printable(device.name),
                                 device.architecture.sm(), static_cast<double>(device.memory_bytes) / (1u << 30));
    section.value.push_back({{"ordinal", device.ordinal},
                             {"name", device.name},
                             {"architecture", device.architecture.sm()},
                             {"memory_bytes", device.memory_bytes}});
  }
  return section;
}

template <class Tool>
void add_tool(Section& section, const char* title, const char* key, const std::shared_ptr<const Tool>& tool,
              const std::string& why) {
  if (tool) {
    section.text += base::format("  {} {}: {}\n", title, tool->version().text(), printable(tool->path().string()));
    section.value[key] = {{"found", true}, {"version", tool->version().text()}, {"path", tool->path().string()}};
  } else {
    section.text += base::format("  {}: none ({})\n", title, printable(why));
    section.value[key] = {{"found", false}, {"why", why}};
  }
}

void add_tools(Section& section, const toolchain::Toolkit& toolkit) {
  std::string why;
  const auto nvrtc = toolkit.nvrtc(why);
  add_tool(section, "NVRTC", "nvrtc", nvrtc, why);
  if (nvrtc) {
    section.text += base::format("    compiles for sm_{}\n", base::join(nvrtc->architectures(), ", sm_"));
    section.value["nvrtc"]["architectures"] = nvrtc->architectures();
  }
  add_tool(section, "nvJitLink", "nvjitlink", toolkit.nvjitlink(why), why);
}

// Makes the toolkit choose the libraries that it will really use. Until the toolkit opens a library, it does not notice
// that the library cannot be loaded. When it notices, it chooses the next candidate. So this function opens the tools
// again until the choice stays the same.
void settle(const toolchain::Toolkit& toolkit) {
  unsigned choice = 0;
  do {
    choice = toolkit.choice();
    std::string ignored;
    toolkit.nvrtc(ignored);
    toolkit.nvjitlink(ignored);
  } while (choice != toolkit.choice());
}

Section toolkit_section() {
  std::string why;
  const toolchain::Driver* const driver = toolchain::Driver::find(why);
  const toolchain::Toolkit toolkit({}, driver == nullptr ? 0 : driver->version().major);
  settle(toolkit);
  Section section{
      "toolkit", base::format("toolkit: {}\n", printable(toolkit.origin())), {{"origin", toolkit.origin()}}};
  add_tools(section, toolkit);
  if (!section.value["nvrtc"]["found"].get<bool>())
    section.text +=
        "  to get NVIDIA's wheels, without root:\n"
        "    python3 -m venv ~/cuda\n"
        "    ~/cuda/bin/pip install 'cuda-toolkit[nvcc,nvrtc,nvjitlink,cudart,cccl,crt]==13.0.*'\n"
        "    export GRAFT_CUDA_PATH=$(echo ~/cuda/lib/python3*/site-packages/nvidia/cu13)\n";
  const std::string headers = toolkit.include_folder().string();
  section.text += base::format("  headers: {}\n", headers.empty() ? "not found" : printable(headers));
  section.value["headers"] = headers;
  section.value["not_taken"] = json::array();
  for (const auto& [place, why_not] : toolkit.candidates()) {
    if (why_not.empty()) continue;
    section.text += base::format("  not taken: {}, CUDA {}: {}\n", printable(place.text()), place.version.text(),
                                 printable(why_not));
    section.value["not_taken"].push_back(
        {{"path", place.root.string()}, {"origin", place.origin}, {"cuda", place.version.text()}, {"why", why_not}});
  }
  section.value["why_ignored"] = toolkit.why_ignored();
  for (const std::string& place : toolkit.why_ignored())
    section.text += base::format("  not looked at: {}\n", printable(place));
  return section;
}

Section fits_section() {
  std::string why;
  const toolchain::Driver* const driver = toolchain::Driver::find(why);
  const compile::Toolbox toolbox({}, {}, driver == nullptr ? 0 : driver->version().major);
  const plan::Tools tools = compile::open_tools({}, toolbox).states;
  std::vector<Architecture> gpus;
  for (const Device& device : find_devices(why)) gpus.push_back(device.architecture);
  Section section{"fits", {}, json::array()};
  for (const plan::Fit& fit : plan::fits(tools, gpus)) {
    section.text += base::format("  {}: {}\n", fit.fits ? "fits" : "does not fit", fit.text);
    section.value.push_back({{"what", fit.what}, {"fits", fit.fits}, {"text", fit.text}});
  }
  return section;
}

Section host_compiler_section() {
  std::string why;
  const auto compiler = toolchain::HostCompiler::find({}, why);
  if (!compiler)
    return {
        "host_compiler", base::format("host compiler: none ({})\n", printable(why)), {{"found", false}, {"why", why}}};
  return {
      "host_compiler",
      base::format("host compiler: {} ({})\n", printable(compiler->path().string()), printable(compiler->version())),
      {{"found", true}, {"path", compiler->path().string()}, {"version", compiler->version()}}};
}

struct FolderState {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::string problem;  // why the cache cannot use the folder; empty if it can
};

// Counts entries by their names and file sizes. Reads no entry.
FolderState look_at(const std::filesystem::path& folder, store::Access access) {
  FolderState state;
  state.problem = store::open_folder(store::real_disk(), folder, access).problem;
  std::error_code error;
  std::filesystem::directory_iterator file(folder / store::version_folder(), error);
  for (; !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
    if (file->path().extension() != store::kEntrySuffix) continue;
    std::error_code gone;
    const std::uint64_t bytes = file->file_size(gone);
    if (gone) continue;
    ++state.entries;
    state.bytes += bytes;
  }
  return state;
}

void add_folder(Section& section, const char* title, const std::filesystem::path& folder, store::Access access) {
  const FolderState state = look_at(folder, access);
  section.text += base::format("  {}: {}, {} kernels, {:.1f} MiB{}\n", title, printable(folder.string()), state.entries,
                               static_cast<double>(state.bytes) / (1u << 20),
                               state.problem.empty() ? "" : base::format("; not used: {}", printable(state.problem)));
  section.value["folders"].push_back({{"path", folder.string()},
                                      {"own", access == store::Access::Own},
                                      {"entries", state.entries},
                                      {"bytes", state.bytes},
                                      {"problem", state.problem}});
}

Section cache_section() {
  const engine::CacheSettings settings = engine::resolve({}, base::environment);
  Section section{"cache",
                  base::format("cache: {}\n", engine::word(settings.policy)),
                  {{"policy", engine::word(settings.policy)},
                   {"problem", settings.problem},
                   {"folders", json::array()},
                   {"limit_bytes", settings.store.limit}}};
  if (!settings.problem.empty()) section.text += base::format("  {}\n", printable(settings.problem));
  for (const std::filesystem::path& layer : settings.store.layers)
    add_folder(section, "layer", layer, store::Access::Layer);
  if (!settings.store.folder.empty()) add_folder(section, "folder", settings.store.folder, store::Access::Own);
  return section;
}

// Says of each device whether engines have its measured tuning.
Section tuning_section() {
  const store::Settings cache = engine::resolve({}, base::environment).store;
  std::string why;
  Section section{"tuning", {}, json::array()};
  for (const Device& device : find_devices(why)) {
    const store::TuningText found = store::find_tuning(cache, format::tuning_file_name(device.gpu()));
    format::TuningFile file;
    std::string problem = found.problem;
    if (!found.text.empty()) problem = engine::read_tuning(found.text, file);
    const bool is_measured = problem.empty() && file.gpu == device.gpu();
    section.text += base::format(
        "tuning of device {}: {}\n", device.ordinal,
        is_measured ? base::format("measured on this GPU, {}: {}", text_of_rows(file), printable(found.path.string()))
        : problem.empty() ? std::string("not measured (graft tune measures it); graft's own rules")
                          : "graft's own rules; not used: " + printable(problem));
    section.value.push_back({{"ordinal", device.ordinal},
                             {"measured", is_measured},
                             {"path", found.path.string()},
                             {"kinds", file.elementwise.size()},
                             {"further", counts_of_further_rows(file)},
                             {"problem", problem}});
  }
  return section;
}

struct Trial {
  double milliseconds = 0;
  std::string failure;  // empty if the route works
};

// Builds a small callback for the first device and loads it there. Without a device it builds for the oldest
// architecture that graft supports, and loads nothing.
Trial try_route(Route route, const std::vector<Device>& devices) {
  BuildRequest request;
  request.callback = "__device__ float identity(float x) { return x; }";
  request.route = name(route);
  request.architecture = (devices.empty() ? kOldestArchitecture : devices[0].architecture).sm();
  try {
    const auto begin = std::chrono::steady_clock::now();
    const Image image = build_in_child(request);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (route != Route::Host && !devices.empty()) {
      Options options;
      options.devices = {devices[0].ordinal};
      Transform::load(image, options);
    }
    return {time.count(), {}};
  } catch (const Error& error) {
    return {0, error.message()};
  }
}

Section routes_section(bool& makes_gpu_kernels) {
  // Switches the cache off for the child processes, because the trials must test the tools and not find a kernel in the
  // cache.
  ::setenv("GRAFT_CACHE", "off", 1);
  std::string why;
  const std::vector<Device> devices = find_devices(why);
  Section section{"routes", {}, json::array()};
  for (const Route route : kRoutes) {
    const Trial trial = try_route(route, devices);
    const bool works = trial.failure.empty();
    makes_gpu_kernels |= works && route != Route::Host;
    section.text +=
        works ? base::format("route {}: works ({:.0f} ms in a new process)\n", name(route), trial.milliseconds)
              : base::format("route {}: does not work here: {}\n", name(route), printable(trial.failure));
    json object = {{"route", name(route)}, {"works", works}};
    if (works) object["milliseconds"] = trial.milliseconds;
    else object["why"] = trial.failure;
    section.value.push_back(std::move(object));
  }
  if (devices.empty())
    section.text += "There is no GPU here: kernels can be built, but only those of route host can be run.\n";
  return section;
}

}  // namespace

Diagnosis diagnose() {
  Diagnosis diagnosis;
  for (const auto section : {graft_section, driver_section, devices_section, toolkit_section, fits_section,
                             host_compiler_section, cache_section, tuning_section})
    diagnosis.sections.push_back(section());
  // routes_section must be last, because it changes the environment.
  diagnosis.sections.push_back(routes_section(diagnosis.makes_gpu_kernels));
  return diagnosis;
}

}  // namespace graft::cli
