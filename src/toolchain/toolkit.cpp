// The installation that the search chose, its tools opened on demand, and the words for what was found and what was
// not.
#include "toolchain/toolkit.hpp"

#include <fmt/format.h>

#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/seen_file.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

template <class Tool>
struct Opened {
  std::once_flag once;
  std::shared_ptr<const Tool> tool;
  std::string why;
};

// "CUDA_HOME (not set), the loader's path (/lib, /usr/lib), ..."
std::string places(const std::vector<Installation>& installations) {
  std::string text;
  const std::string* previous = nullptr;
  for (const Installation& place : installations) {
    const std::string root = place.root.empty() ? "not set" : place.root.string();
    if (previous && *previous == place.origin) text.insert(text.size() - 1, ", " + root);
    else text += fmt::format("{}{} ({})", previous ? ", " : "", place.origin, root);
    previous = &place.origin;
  }
  return text;
}

// libNVVM has one name for all of CUDA's major versions.
std::string files(std::string_view stem) {
  if (stem.find(".so") != std::string_view::npos) return std::string(stem);
  std::string text;
  for (const int major : kMajorVersions) text += fmt::format("{}{}.so.{}", text.empty() ? "" : " or ", stem, major);
  return text;
}

// Without a chosen one, the driver is the only reason there is.
std::string reason_not_taken(const Installation& other, const Installation* chosen, int driver_major) {
  if (!chosen || (driver_major != 0 && other.version.major > driver_major))
    return fmt::format("newer than CUDA {}, the newest that the driver runs", driver_major);
  if (other.nvrtc.empty() && !chosen->nvrtc.empty()) return "it has no NVRTC";
  if (other.builtins.empty() && !chosen->builtins.empty()) return "no builtins library lies beside its NVRTC";
  if (other.nvjitlink.empty() && !chosen->nvjitlink.empty()) return "it has no nvJitLink";
  return other.version < chosen->version ? "older" : "later in the search";
}

// "/usr/local/cuda/lib64/libnvrtc.so.13 93452344 1760000000", or only the file's own name and size.
std::string outside_of(const fs::path& path, bool with_place) {
  std::error_code ignored;
  const fs::path file = fs::canonical(path, ignored);
  const std::string name = with_place ? path.string() : file.filename().string();
  std::string text = fmt::format("{} {}", name, fs::file_size(file, ignored));
  if (with_place) text += fmt::format(" {}", fs::last_write_time(file, ignored).time_since_epoch().count());
  return text;
}

// "13.0; libnvrtc.so.13.0.88 93452344; ..."
std::string identity_of(const Installation& one) {
  std::string text = one.version.text();
  for (const fs::path& tool : {one.nvrtc, one.builtins, one.nvjitlink})
    if (!tool.empty()) text += "; " + outside_of(tool, false);
  return text;
}

std::string path_or_missing(const fs::path& path) {
  return path.empty() ? "not found" : path.string();
}

}  // namespace

struct Toolkit::State {
  State(fs::path path, int driver, SearchWorld search_world)
      : explicit_path(std::move(path)), driver_major(driver), world(std::move(search_world)) {}

  const Installation* chosen() {
    std::call_once(searched, [this] {
      installations = find_installations(explicit_path, world);
      choice = choose_installation(installations, driver_major);
    });
    return choice;
  }

  std::string why_missing(const char* tool, const char* stem) {
    std::string text = fmt::format("no {}: ", tool);
    if (choice) text += fmt::format("{}, which was chosen, does not have it; ", choice->text());
    text += fmt::format("looked for {} in {}", files(stem), places(installations));
    for (const Installation& other : installations)
      if (!choice && other.has_tools())
        text += fmt::format("; {} was not taken: {}", other.text(), reason_not_taken(other, choice, driver_major));
    return text;
  }

  template <class Tool>
  std::shared_ptr<const Tool> open(Opened<Tool>& opened, fs::path Installation::*file, const char* tool,
                                   const char* stem, std::string& why) {
    std::call_once(opened.once, [&] {
      const Installation* installation = chosen();
      if (!installation || (installation->*file).empty()) opened.why = why_missing(tool, stem);
      else opened.tool = Tool::open(installation->*file, opened.why);
    });
    why = opened.why;
    return opened.tool;
  }

  // It only puts bytes together, so one of any toolkit will do: where the chosen one lacks it, the loader's.
  void open_nvfatbin() {
    const Installation* installation = chosen();
    if (installation && !installation->nvfatbin.empty())
      nvfatbin.tool = NvFatbin::open(installation->nvfatbin, nvfatbin.why);
    for (const int major : kMajorVersions)
      if (!nvfatbin.tool) nvfatbin.tool = NvFatbin::open(fmt::format("libnvfatbin.so.{}", major), nvfatbin.why);
    if (!nvfatbin.tool) nvfatbin.why = why_missing("libnvfatbin", "libnvfatbin");
  }

  const fs::path explicit_path;
  const int driver_major;
  const SearchWorld world;
  std::once_flag searched;
  std::vector<Installation> installations;
  const Installation* choice = nullptr;
  Opened<Nvrtc> nvrtc;
  Opened<NvJitLink> nvjitlink;
  Opened<Nvvm> nvvm;
  Opened<NvFatbin> nvfatbin;
};

Toolkit::Toolkit(fs::path explicit_path, int driver_major, SearchWorld world)
    : state_(std::make_shared<State>(std::move(explicit_path), driver_major, std::move(world))) {}

std::shared_ptr<const Nvrtc> Toolkit::nvrtc(std::string& why) const {
  return state_->open(state_->nvrtc, &Installation::nvrtc, "NVRTC", "libnvrtc", why);
}

std::shared_ptr<const NvJitLink> Toolkit::nvjitlink(std::string& why) const {
  return state_->open(state_->nvjitlink, &Installation::nvjitlink, "nvJitLink", "libnvJitLink", why);
}

std::shared_ptr<const Nvvm> Toolkit::nvvm(std::string& why) const {
  return state_->open(state_->nvvm, &Installation::nvvm, "libNVVM", "libnvvm.so.4", why);
}

std::shared_ptr<const NvFatbin> Toolkit::nvfatbin(std::string& why) const {
  std::call_once(state_->nvfatbin.once, [this] { state_->open_nvfatbin(); });
  why = state_->nvfatbin.why;
  return state_->nvfatbin.tool;
}

fs::path Toolkit::libdevice() const {
  const Installation* chosen = state_->chosen();
  return chosen ? chosen->libdevice : fs::path();
}

fs::path Toolkit::include_folder() const {
  const Installation* chosen = state_->chosen();
  return chosen ? chosen->include : fs::path();
}

std::string Toolkit::headers_in(const std::string& folder) const {
  const base::FileIdentity asked = base::folder_identity(folder);
  if (asked == base::FileIdentity()) return {};
  state_->chosen();
  for (const Installation& one : state_->installations) {
    if (one.include.empty()) continue;
    for (const fs::path& known : {one.include, one.include / "cccl"})
      if (base::folder_identity(known.string()) == asked)
        return fmt::format("{}; {}", known.string(), identity_of(one));
  }
  return {};
}

std::string Toolkit::state() const {
  state_->chosen();
  std::string text = fmt::format("driver {}\n", state_->driver_major);
  for (const Installation& one : state_->installations)
    for (const fs::path& tool : {one.nvrtc, one.builtins, one.nvjitlink})
      if (!tool.empty()) text += outside_of(tool, true) + '\n';
  return text;
}

std::string Toolkit::identity() const {
  const Installation* chosen = state_->chosen();
  return chosen ? identity_of(*chosen) : "none";
}

std::string Toolkit::origin() const {
  const Installation* chosen = state_->chosen();
  return chosen ? chosen->text() : "no toolkit";
}

std::vector<Toolkit::Candidate> Toolkit::candidates() const {
  const Installation* chosen = state_->chosen();
  std::vector<Candidate> all;
  for (const Installation& one : state_->installations)
    if (one.has_tools())
      all.push_back({one, &one == chosen ? std::string() : reason_not_taken(one, chosen, state_->driver_major)});
  return all;
}

std::string Toolkit::describe() const {
  const Installation* chosen = state_->chosen();
  std::string text = "toolkit: " + origin();
  if (chosen) {
    text += fmt::format(", CUDA {}\n  NVRTC: {}\n  nvJitLink: {}\n  headers: {}", chosen->version.text(),
                        path_or_missing(chosen->nvrtc), path_or_missing(chosen->nvjitlink),
                        path_or_missing(chosen->include));
  }
  for (const Candidate& other : candidates())
    if (!other.why_not.empty())
      text += fmt::format("\n  not taken: {}, CUDA {}: {}", other.installation.text(),
                          other.installation.version.text(), other.why_not);
  return text + fmt::format("\n  looked in: {}\n", places(state_->installations));
}

}  // namespace graft::toolchain
