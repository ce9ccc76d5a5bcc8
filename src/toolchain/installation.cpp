// Implements the search for installations and the choice of one installation. Both functions read the machine only
// through SearchWorld, so a test can simulate any machine.
//
// There are three kinds of installations: a toolkit, a folder of libraries, and Python wheels. A Layout lists the
// folders in which one installation would have its files. Search makes one or more Layouts for each place, and looks
// for the files of each Layout once per major version of CUDA.
#include "toolchain/installation.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/format.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

#if defined(__aarch64__)
constexpr const char* kTarget = "targets/sbsa-linux";
#else
constexpr const char* kTarget = "targets/x86_64-linux";
#endif

constexpr const char* kLibnvvm = "libnvvm.so.4";  // the same soname in all supported major versions
constexpr const char* kLibdevice = "libdevice.10.bc";

// The folders in which one installation would have each of its files, named after the file. Each list is in order of
// preference.
struct Layout {
  fs::path root;
  std::vector<fs::path> nvrtc;
  std::vector<fs::path> nvjitlink;
  std::vector<fs::path> include;
  std::vector<fs::path> nvvm;  // folders of libNVVM
  std::vector<fs::path> nvfatbin;
  std::vector<fs::path> libdevice;  // possible paths of the libdevice file
};

// Returns the Layout of a toolkit that NVIDIA's installer or conda has installed in the folder `root`.
Layout toolkit_layout(const fs::path& root) {
  const std::vector<fs::path> libraries = {root / "lib64", root / "lib", root / kTarget / "lib"};
  std::vector<fs::path> nvvm = libraries;
  nvvm.insert(nvvm.begin(), root / "nvvm/lib64");
  return {root,
          libraries,
          libraries,
          {root / "include", root / kTarget / "include"},
          nvvm,
          libraries,
          {root / "nvvm/libdevice" / kLibdevice}};
}

// Returns the Layout of a folder of libraries. If the folder is cuda/lib64, the folders `include` and `nvvm` of the
// toolkit are one level above it, in cuda. If the folder is /usr/lib/x86_64-linux-gnu, `include` is two levels above
// it, in /usr. If the folder is cuda/targets/x86_64-linux/lib, `nvvm` is three levels above it, in cuda.
Layout library_folder_layout(const fs::path& folder) {
  const fs::path parent = folder.parent_path();
  const fs::path above = parent.parent_path().parent_path();
  return {folder,
          {folder},
          {folder},
          {parent / "include", parent.parent_path() / "include"},
          {folder, parent / "nvvm/lib64", above / "nvvm/lib64"},
          {folder},
          {parent / "nvvm/libdevice" / kLibdevice, above / "nvvm/libdevice" / kLibdevice}};
}

// Adds the Layouts of NVIDIA's Python wheels. The wheels of CUDA 13 share one folder (nvidia/cu13). Each wheel of CUDA
// 12 has a folder of its own (nvidia/cuda_nvrtc, nvidia/nvjitlink).
void add_wheels(const fs::path& site_packages, std::vector<Layout>& layouts) {
  const fs::path nvidia = site_packages / "nvidia";
  for (const int major : kMajorVersions) layouts.push_back(toolkit_layout(nvidia / base::format("cu{}", major)));
  layouts.push_back({nvidia,
                     {nvidia / "cuda_nvrtc/lib"},
                     {nvidia / "nvjitlink/lib"},
                     {nvidia / "cuda_runtime/include"},
                     {nvidia / "cuda_nvcc/nvvm/lib64"},
                     {nvidia / "nvfatbin/lib"},
                     {nvidia / "cuda_nvcc/nvvm/libdevice" / kLibdevice}});
}

// Parses "13.0" or "13.0.88". A major or minor version that is missing or not a number becomes 0.
Version parse_version(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  const char* const dot = std::from_chars(text.data(), end, version.major).ptr;
  if (dot != end && *dot == '.') std::from_chars(dot + 1, end, version.minor);
  return version;
}

std::vector<fs::path> sorted_children(const fs::path& folder, std::string_view prefix, const SearchWorld& world) {
  std::vector<fs::path> children;
  for (const fs::path& child : world.list(folder))
    if (child.filename().string().starts_with(prefix)) children.push_back(child);
  const auto version = [&](const fs::path& p) { return parse_version(p.filename().string().substr(prefix.size())); };
  std::ranges::sort(children, [&](const fs::path& a, const fs::path& b) {
    return std::make_tuple(version(b), a) < std::make_tuple(version(a), b);
  });
  return children;
}

class Search {
 public:
  explicit Search(const SearchWorld& world) : world_(world) {}

  // Looks at a place that the user named for graft: a toolkit, a folder of libraries, a Python environment, or the
  // site-packages folder of a Python environment.
  void look_at_named(const std::string& origin, const fs::path& path) {
    const fs::path root = without_slash(path);
    if (origin == kGraftPath && is_left_out(origin, root, true)) return;
    std::vector<Layout> layouts = {toolkit_layout(root), library_folder_layout(root)};
    if (world_.exists(root / "nvidia")) add_wheels(root, layouts);
    add_python(root, layouts);
    add(origin, root, layouts, true);
  }

  void look_at_toolkit(const char* variable) { look_at_variable(variable, false); }
  void look_at_python(const char* variable) { look_at_variable(variable, true); }

  void look_at_loader_folders() {
    constexpr const char* kOrigin = "the loader's path";
    for (const fs::path& folder : world_.loader_folders())
      if (!is_left_out(kOrigin, folder, false)) add(kOrigin, folder, {library_folder_layout(folder)}, false);
  }

  void look_at_conventional_folders() {
    std::vector<fs::path> roots = {"/usr/local/cuda"};
    for (fs::path& root : sorted_children("/usr/local", "cuda-", world_)) roots.push_back(std::move(root));
    roots.emplace_back("/opt/cuda");
    for (const fs::path& root : roots) add("conventional folder", root, {toolkit_layout(root)}, false);
  }

  std::vector<Installation> take() { return std::move(found_); }

 private:
  static fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

  // If `root` is a relative path, lists the place as ignored and returns true.
  bool is_left_out(const std::string& origin, const fs::path& root, bool named) {
    if (root.empty() || root.is_absolute()) return false;
    found_.push_back({.origin = origin, .root = root, .named = named, .why_ignored = "relative path, ignored"});
    return true;
  }

  void look_at_variable(const char* variable, bool python) {
    const fs::path root = without_slash(world_.environment(variable));
    if (is_left_out(variable, root, false)) return;
    std::vector<Layout> layouts;
    if (!root.empty()) layouts.push_back(toolkit_layout(root));
    if (!root.empty() && python) add_python(root, layouts);
    add(variable, root, layouts, false);
  }

  void add_python(const fs::path& environment, std::vector<Layout>& layouts) const {
    for (const fs::path& python : sorted_children(environment / "lib", "python", world_))
      add_wheels(python / "site-packages", layouts);
  }

  void add(const std::string& origin, const fs::path& root, const std::vector<Layout>& layouts, bool named) {
    const std::size_t before = found_.size();
    for (const Layout& layout : layouts) {
      for (const int major : kMajorVersions) {
        Installation installation = look(layout, major);
        if (!installation.has_tools()) continue;
        find_builtins(installation);
        if (!is_new(installation)) continue;
        installation.include = include_folder(layout.include);
        installation.origin = origin;
        installation.named = named;
        found_.push_back(std::move(installation));
      }
    }
    if (found_.size() == before) found_.push_back({.origin = origin, .root = root, .named = named});
  }

  Installation look(const Layout& layout, int major) const {
    Installation installation;
    installation.root = layout.root;
    installation.version.major = major;
    installation.nvrtc = first_with(layout.nvrtc, base::format("libnvrtc.so.{}", major));
    installation.nvjitlink = first_with(layout.nvjitlink, base::format("libnvJitLink.so.{}", major));
    installation.nvvm = first_with(layout.nvvm, kLibnvvm);
    installation.nvfatbin = first_with(layout.nvfatbin, base::format("libnvfatbin.so.{}", major));
    for (const fs::path& file : layout.libdevice)
      if (world_.exists(file)) installation.libdevice = file;
    return installation;
  }

  fs::path first_with(const std::vector<fs::path>& folders, const std::string& name) const {
    for (const fs::path& folder : folders)
      if (world_.exists(folder / name)) return folder / name;
    return {};
  }

  // Finds NVRTC's builtins library and takes the minor version from its soname, because NVRTC's own soname has no minor
  // version.
  void find_builtins(Installation& installation) const {
    if (installation.nvrtc.empty()) return;
    constexpr std::string_view prefix = "libnvrtc-builtins.so.";
    for (const fs::path& file : sorted_children(installation.nvrtc.parent_path(), prefix, world_)) {
      const Version version = parse_version(file.filename().string().substr(prefix.size()));
      if (version.major != installation.version.major) continue;
      installation.version = version;
      installation.builtins = file;
      return;
    }
  }

  fs::path include_folder(const std::vector<fs::path>& folders) const {
    for (const fs::path& folder : folders)
      if (world_.exists(folder / "cuda_fp16.h") && world_.exists(folder / "vector_types.h")) return folder;
    return {};
  }

  // Compares the paths after resolving symbolic links, because an installation often has several paths: /usr/local/cuda
  // is usually a symbolic link.
  bool is_new(const Installation& installation) {
    return seen_
        .emplace(world_.canonical(installation.nvrtc), world_.canonical(installation.builtins),
                 world_.canonical(installation.nvjitlink))
        .second;
  }

  const SearchWorld& world_;
  std::vector<Installation> found_;
  std::set<std::tuple<fs::path, fs::path, fs::path>> seen_;
};

bool driver_runs(const Installation& installation, int driver_major) {
  return installation.named || driver_major == 0 || installation.version.major <= driver_major;
}

bool has_good_nvrtc(const Installation& installation) {
  return !installation.nvrtc.empty() && installation.bad_nvrtc.empty();
}

bool has_good_nvjitlink(const Installation& installation) {
  return !installation.nvjitlink.empty() && installation.bad_nvjitlink.empty();
}

// NVRTC counts more than nvJitLink, because graft can build source callbacks with NVRTC alone, but with nvJitLink alone
// it can use only packs.
int completeness(const Installation& installation) {
  const bool compiles = has_good_nvrtc(installation) && !installation.builtins.empty();
  return (compiles ? 2 : 0) + (has_good_nvjitlink(installation) ? 1 : 0);
}

}  // namespace

std::vector<Installation> find_installations(const fs::path& explicit_path, const SearchWorld& world) {
  Search search(world);
  if (!explicit_path.empty()) {
    search.look_at_named("the path given", explicit_path);
    return search.take();
  }
  if (const std::string path = world.environment(kGraftPath); !path.empty()) {
    search.look_at_named(kGraftPath, path);
    return search.take();
  }
  search.look_at_toolkit(kGraftPath);  // the variable is not set; lists the place as "GRAFT_CUDA_PATH (not set)"
  search.look_at_loader_folders();
  for (const char* variable : kToolkitVariables) search.look_at_toolkit(variable);
  for (const char* variable : kPythonVariables) search.look_at_python(variable);
  search.look_at_conventional_folders();
  return search.take();
}

const Installation* choose_installation(const std::vector<Installation>& installations, int driver_major) {
  const Installation* best = nullptr;
  const auto rank = [&](const Installation& i) {
    // The first criterion is whether the driver can run the version. It matters only for a place that the user named
    // and that has several major versions, because driver_runs() accepts all versions of such a place.
    return std::make_tuple(driver_major == 0 || i.version.major <= driver_major, completeness(i), i.version);
  };
  for (const Installation& candidate : installations) {
    const bool is_usable = has_good_nvrtc(candidate) || has_good_nvjitlink(candidate);
    if (!is_usable || !driver_runs(candidate, driver_major)) continue;
    if (!best || rank(candidate) > rank(*best)) best = &candidate;
  }
  return best;
}

}  // namespace graft::toolchain
