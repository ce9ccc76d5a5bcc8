// Toolkit::State holds the installations that the search found, the chosen installation and the opened tools.
// State::open() opens a tool of the chosen installation. If opening fails, pass_over() marks the installation as bad
// and chooses another installation, and open() tries again, until a tool opens or no installation is left. The free
// functions compose the messages about tools that were found and tools that were not.
#include "toolchain/toolkit.hpp"

#include <sys/stat.h>

#include <atomic>

#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/seen_file.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

// A tool that is opened at most once. If opening failed, `tool` is null and `why` says the reason. `is_done` is true
// after the attempt to open the tool.
template <class Tool>
struct Opened {
  std::once_flag once;
  std::shared_ptr<const Tool> tool;
  std::string why;
  std::atomic<bool> is_done = false;
};

// Returns a list of all places for a message: "CUDA_HOME (not set), the loader's path (/lib, /usr/lib), ...".
std::string places(const std::vector<Installation>& installations) {
  std::string text;
  const std::string* previous = nullptr;
  for (const Installation& place : installations) {
    std::string root = place.root.empty() ? "not set" : place.root.string();
    if (!place.why_ignored.empty()) root += base::format(" [{}]", place.why_ignored);
    if (previous && *previous == place.origin) text.insert(text.size() - 1, ", " + root);
    else text += base::format("{}{} ({})", previous ? ", " : "", place.origin, root);
    previous = &place.origin;
  }
  return text;
}

// Returns the file names that a library may have: "libnvrtc.so.13 or libnvrtc.so.12" for the stem "libnvrtc". Returns
// libNVVM's stem "libnvvm.so.4" unchanged, because it is a whole soname, which is the same in all major versions.
std::string files(std::string_view stem) {
  if (stem.find(".so") != std::string_view::npos) return std::string(stem);
  std::string text;
  for (const int major : kMajorVersions) text += base::format("{}{}.so.{}", text.empty() ? "" : " or ", stem, major);
  return text;
}

std::string cannot_be_loaded(const char* tool, const std::string& why) {
  return base::format("its {} cannot be loaded: {}", tool, why);
}

// Says why the toolkit did not choose the installation `other`. If no installation was chosen (`chosen` is null) and
// the tools of `other` can be used, then `other` must be too new for the driver.
std::string reason_not_taken(const Installation& other, const Installation* chosen, int driver_major) {
  if (!other.bad_nvrtc.empty()) return cannot_be_loaded("NVRTC", other.bad_nvrtc);
  if (!other.bad_nvjitlink.empty()) return cannot_be_loaded("nvJitLink", other.bad_nvjitlink);
  if (!chosen || (driver_major != 0 && other.version.major > driver_major))
    return base::format("newer than CUDA {}, the newest that the driver runs", driver_major);
  if (other.nvrtc.empty() && !chosen->nvrtc.empty()) return "it has no NVRTC";
  if (other.builtins.empty() && !chosen->builtins.empty()) return "its NVRTC has no builtins library beside it";
  if (other.nvjitlink.empty() && !chosen->nvjitlink.empty()) return "it has no nvJitLink";
  return other.version < chosen->version ? "it is older" : "it is equally good, but comes later in the search";
}

// Describes a tool's file by its properties in the file system. If `with_place` is set, gives the path, size and
// modification time: "/usr/local/cuda/lib64/libnvrtc.so.13 93452344 1760000000.000000000". Otherwise gives the name of
// the file to which the path links, and its size: "libnvrtc.so.13.0.88 93452344".
std::string file_properties(const fs::path& path, bool with_place) {
  std::error_code ignored;
  const fs::path file = fs::canonical(path, ignored);
  const std::string name = with_place ? path.string() : file.filename().string();
  struct stat found {};
  ::stat(file.c_str(), &found);
  std::string text = base::format("{} {}", name, found.st_size);
  // The fields of timespec are printed directly, because the clocks of std::chrono cannot represent every time that a
  // file may have.
  if (with_place) text += base::format(" {}.{:09}", found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
  return text;
}

// Returns the text of Toolkit::identity() for one installation: "13.0; libnvrtc.so.13.0.88 93452344; ...".
std::string identity_of(const Installation& one) {
  std::string text = one.version.text();
  for (const fs::path& tool : {one.nvrtc, one.builtins, one.nvjitlink})
    if (!tool.empty()) text += "; " + file_properties(tool, false);
  return text;
}

std::string path_or_missing(const fs::path& path, const std::string& bad = {}) {
  if (path.empty()) return "not found";
  return bad.empty() ? path.string() : base::format("{} (cannot be loaded: {})", path.string(), bad);
}

// The tools of one installation, each opened at its first use.
struct Tools {
  Opened<Nvrtc> nvrtc;
  Opened<NvJitLink> nvjitlink;
  Opened<Nvvm> nvvm;
};

// Describes one kind of tool (NVRTC, nvJitLink or libNVVM) by pointers to the members that belong to it: the path of
// the tool's file, the opened tool, and the reason why the tool cannot be used. So Toolkit::State::open() is one
// function for all kinds.
template <class Tool>
struct Kind {
  fs::path Installation::*file;
  Opened<Tool> Tools::*slot;
  std::string Installation::*bad;  // null if this kind of tool does not influence the choice of an installation
  const char* name;
  const char* stem;
};

constexpr Kind<Nvrtc> kNvrtc = {&Installation::nvrtc, &Tools::nvrtc, &Installation::bad_nvrtc, "NVRTC", "libnvrtc"};
constexpr Kind<NvJitLink> kNvJitLink = {&Installation::nvjitlink, &Tools::nvjitlink, &Installation::bad_nvjitlink,
                                        "nvJitLink", "libnvJitLink"};
constexpr Kind<Nvvm> kNvvm = {&Installation::nvvm, &Tools::nvvm, nullptr, "libNVVM", "libnvvm.so.4"};

}  // namespace

struct Toolkit::State {
  State(fs::path path, int driver, SearchWorld search_world)
      : explicit_path(std::move(path)), driver_major(driver), world(std::move(search_world)) {}

  // The returned pointer stays valid, because `installations` does not change its size after the search. After the
  // search only the members bad_nvrtc and bad_nvjitlink of an installation change.
  const Installation* chosen() {
    const std::lock_guard lock(mutex);
    search();
    return choice;
  }

  unsigned choice_number() {
    const std::lock_guard lock(mutex);
    search();
    return choices;
  }

  // Returns copies of all places. Does not choose an installation, so it reads the content of no file.
  std::vector<Installation> all() {
    const std::lock_guard lock(mutex);
    find();
    return installations;
  }

  template <class Tool>
  std::shared_ptr<const Tool> open(const Kind<Tool>& kind, std::string& why) {
    while (true) {
      const Installation* const installation = chosen();
      if (!installation || (installation->*kind.file).empty()) {
        why = why_missing(kind.name, kind.stem);
        return nullptr;
      }
      Opened<Tool>& opened = tools[static_cast<std::size_t>(installation - installations.data())].*kind.slot;
      std::call_once(opened.once, [&] {
        opened.tool = open_file<Tool>(installation->*kind.file, opened.why);
        opened.is_done = true;
      });
      why = opened.why;
      if (opened.tool || !pass_over(*installation, kind.bad, opened.why)) return opened.tool;
    }
  }

  // Opens the chosen installation's libnvfatbin. If the installation has no libnvfatbin, opens the library that the
  // loader finds. That library may come from another installation, because libnvfatbin only concatenates code.
  void open_nvfatbin() {
    const Installation* installation = chosen();
    if (installation && !installation->nvfatbin.empty())
      nvfatbin.tool = NvFatbin::open(installation->nvfatbin, nvfatbin.why);
    for (const int major : kMajorVersions)
      if (!nvfatbin.tool) nvfatbin.tool = NvFatbin::open(base::format("libnvfatbin.so.{}", major), nvfatbin.why);
    if (!nvfatbin.tool) nvfatbin.why = why_missing("libnvfatbin", "libnvfatbin");
  }

  // Call search(), find() and choose() with the mutex locked.
  void search() {
    find();
    if (choices == 0) choose();
  }

  std::string why_missing(const char* tool, const char* stem) {
    const std::lock_guard lock(mutex);
    const Installation& first = installations.front();
    if (first.named && !first.why_ignored.empty())
      return base::format("no {}: {} is \"{}\", a relative path, which graft ignores; give an absolute path", tool,
                          first.origin, first.root.string());
    std::string text = base::format("no {}: ", tool);
    if (choice) text += base::format("the chosen installation {} does not have it; ", choice->text());
    text += base::format("looked for {} in {}", files(stem), places(installations));
    for (const Installation& other : installations)
      if (other.has_tools() && (!choice || (&other != choice && is_bad(other))))
        text += base::format("; {} was not taken: {}", other.text(), reason_not_taken(other, choice, driver_major));
    return text;
  }

  const fs::path explicit_path;
  const int driver_major;
  const SearchWorld world;

  // The mutex protects the search's results and the choice. After the search, `installations` and `tools` do not change
  // their sizes.
  std::mutex mutex;
  std::vector<Installation> installations;
  std::vector<Tools> tools;
  const Installation* choice = nullptr;
  // The number of times that choose() has run (Toolkit::choice()). 0 until the first call of search().
  unsigned choices = 0;
  Opened<NvFatbin> nvfatbin;

 private:
  template <class Tool>
  std::shared_ptr<const Tool> open_file(const fs::path& file, std::string& why) const {
    if constexpr (std::is_same_v<Tool, NvJitLink>)
      return NvJitLink::open(file, why,
                             world.environment(kPrivateLinker) == "1" ? LinkerLibrary::Copy : LinkerLibrary::Shared);
    else return Tool::open(file, why);
  }

  static bool is_bad(const Installation& one) { return !one.bad_nvrtc.empty() || !one.bad_nvjitlink.empty(); }

  // Searches for installations, at the first call only. Afterwards `installations` is not empty, because it also lists
  // places without tools.
  void find() {
    if (!installations.empty()) return;
    installations = find_installations(explicit_path, world);
    tools = std::vector<Tools>(installations.size());
  }

  // Chooses the best installation whose files are complete according to their headers. Does not check the files of an
  // installation that the user named.
  void choose() {
    do choice = choose_installation(installations, driver_major);
    while (choice && !choice->named && look_at(installations[static_cast<std::size_t>(choice - installations.data())]));
    ++choices;
  }

  // Checks the ELF headers of the tools' files, and records the faults in `one`. Returns true if a file has a fault and
  // no fault of this installation was known before.
  bool look_at(Installation& one) const {
    if (is_bad(one)) return false;
    if (!one.nvrtc.empty()) one.bad_nvrtc = world.fault(one.nvrtc);
    if (one.bad_nvrtc.empty() && !one.builtins.empty()) one.bad_nvrtc = world.fault(one.builtins);
    if (!one.nvjitlink.empty()) one.bad_nvjitlink = world.fault(one.nvjitlink);
    return is_bad(one);
  }

  // Records that a tool of the installation `one` could not be loaded, and chooses again. Does nothing if the user
  // named `one`, or if this kind of tool does not influence the choice. Returns false if `one` remains the chosen
  // installation.
  bool pass_over(const Installation& one, std::string Installation::*bad, const std::string& why) {
    const std::lock_guard lock(mutex);
    if (one.named || bad == nullptr) return false;
    Installation& noted = installations[static_cast<std::size_t>(&one - installations.data())];
    if ((noted.*bad).empty()) {
      noted.*bad = why;
      choose();
    }
    return choice != &one;
  }
};

Toolkit::Toolkit(fs::path explicit_path, int driver_major, SearchWorld world)
    : state_(std::make_shared<State>(std::move(explicit_path), driver_major, std::move(world))) {}

std::shared_ptr<const Nvrtc> Toolkit::nvrtc(std::string& why) const {
  return state_->open(kNvrtc, why);
}

std::shared_ptr<const NvJitLink> Toolkit::nvjitlink(std::string& why) const {
  return state_->open(kNvJitLink, why);
}

bool Toolkit::expects_nvjitlink(std::shared_ptr<const NvJitLink>& tool) const {
  const Installation* const chosen = state_->chosen();
  if (!chosen || chosen->nvjitlink.empty()) return false;
  const Opened<NvJitLink>& opened =
      state_->tools[static_cast<std::size_t>(chosen - state_->installations.data())].nvjitlink;
  if (!opened.is_done) return true;
  tool = opened.tool;
  return tool != nullptr;
}

std::shared_ptr<const Nvvm> Toolkit::nvvm(std::string& why) const {
  return state_->open(kNvvm, why);
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

unsigned Toolkit::choice() const {
  return state_->choice_number();
}

std::string Toolkit::headers_in(const std::string& folder) const {
  const base::FileIdentity asked = base::folder_identity(folder);
  if (asked == base::FileIdentity()) return {};
  for (const Installation& one : state_->all()) {
    if (one.include.empty()) continue;
    for (const fs::path& known : {one.include, one.include / "cccl"})
      if (base::folder_identity(known.string()) == asked)
        return base::format("{}; {}", known.string(), identity_of(one));
  }
  return {};
}

std::string Toolkit::state() const {
  std::string text = base::format("driver {}\n", state_->driver_major);
  for (const Installation& one : state_->all())
    for (const fs::path& tool : {one.nvrtc, one.builtins, one.nvjitlink})
      if (!tool.empty()) text += file_properties(tool, true) + '\n';
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
  const std::lock_guard lock(state_->mutex);
  state_->search();
  std::vector<Candidate> all;
  for (const Installation& one : state_->installations)
    if (one.has_tools())
      all.push_back(
          {one, &one == state_->choice ? std::string() : reason_not_taken(one, state_->choice, state_->driver_major)});
  return all;
}

std::vector<std::string> Toolkit::why_ignored() const {
  std::vector<std::string> texts;
  for (const Installation& one : state_->all())
    if (!one.why_ignored.empty()) texts.push_back(base::format("{}: {}", one.text(), one.why_ignored));
  return texts;
}

std::string Toolkit::describe() const {
  std::string text = "toolkit: " + origin();
  const std::vector<Candidate> all = candidates();
  for (const auto& [one, why_not] : all)
    if (why_not.empty())
      text += base::format(", CUDA {}\n  NVRTC: {}\n  nvJitLink: {}\n  headers: {}", one.version.text(),
                           path_or_missing(one.nvrtc, one.bad_nvrtc), path_or_missing(one.nvjitlink, one.bad_nvjitlink),
                           path_or_missing(one.include));
  for (const auto& [one, why_not] : all)
    if (!why_not.empty())
      text += base::format("\n  not taken: {}, CUDA {}: {}", one.text(), one.version.text(), why_not);
  return text + base::format("\n  looked in: {}\n", places(state_->all()));
}

}  // namespace graft::toolchain
