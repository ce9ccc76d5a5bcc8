// Installations of NVRTC and nvJitLink: where they are, told from file names alone, so that looking at all of them
// opens none (opening one costs milliseconds).
//
// Searched in this order: an explicit path, GRAFT_CUDA_PATH, the loader's path (libraries already loaded, the
// application's own rpath, LD_LIBRARY_PATH, the system's folders), CUDA_HOME and CUDA_PATH, the active Python
// environment (VIRTUAL_ENV, CONDA_PREFIX: wheels in nvidia/cu13, or in the older nvidia/cuda_nvrtc and
// nvidia/nvjitlink), and the conventional folders (/usr/local/cuda, /usr/local/cuda-<newest>, /opt/cuda).
//
// A path that was named for graft (explicit or GRAFT_CUDA_PATH) is final, and the others are not looked at. Otherwise,
// of those whose major version the driver can run (all, where there is no driver), one with both tools wins, then the
// newest, then the first in the search. A tool that is known to be bad counts as missing.
//
// Relative paths of the environment and of the loader's path mean the working folder, which may belong to anybody: they
// are left out, and listed so. An explicit path is the application's own.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "toolchain/version.hpp"

namespace graft::toolchain {

// A place where tools were looked for. The tools' paths are empty where nothing was found that was not met before under
// another name; `root` is empty when a variable is unset.
struct Installation {
  std::string origin;  // "GRAFT_CUDA_PATH", "the loader's path", ...
  std::filesystem::path root;
  std::filesystem::path nvrtc = {};
  std::filesystem::path nvjitlink = {};
  std::filesystem::path include = {};  // has cuda_fp16.h and vector_types.h
  Version version = {};                // by file names: the major from sonames, the minor from NVRTC's builtins, else 0
  std::filesystem::path builtins = {};  // NVRTC's, beside it
  bool named = false;                   // for graft, by the user: final

  std::string left_out = {};  // why nothing was looked for here: "relative: left out"

  // Why a tool that lies there cannot be used, as far as that is known.
  std::string bad_nvrtc = {};  // or its builtins
  std::string bad_nvjitlink = {};

  // What only precompiling and NVVM IR need; empty where missing. They play no part in the choice.
  std::filesystem::path nvvm = {};      // libNVVM
  std::filesystem::path nvfatbin = {};  // libnvfatbin
  std::filesystem::path libdevice = {};

  bool has_tools() const noexcept { return !nvrtc.empty() || !nvjitlink.empty(); }
  std::string text() const { return root.string() + " (" + origin + ")"; }
};

// The variables that the search reads, in its order.
inline constexpr const char* kGraftPath = "GRAFT_CUDA_PATH";
inline constexpr std::array<const char*, 2> kToolkitVariables = {"CUDA_HOME", "CUDA_PATH"};
inline constexpr std::array<const char*, 2> kPythonVariables = {"VIRTUAL_ENV", "CONDA_PREFIX"};

// The major versions whose tools graft knows how to use, newest first.
inline constexpr std::array<int, 2> kMajorVersions = {13, 12};

// All that the search reads of the world, so that a test can answer with installations that do not exist.
struct SearchWorld {
  using Path = std::filesystem::path;
  std::function<std::string(const char*)> environment;
  std::function<bool(const Path&)> exists;
  std::function<std::vector<Path>(const Path&)> list;  // the folder's entries, as full paths, in any order
  std::function<std::vector<Path>()> loader_folders = [] { return std::vector<Path>(); };
  std::function<Path(const Path&)> canonical = [](const Path& path) { return path; };         // without symbolic links
  std::function<std::string(const Path&)> fault = [](const Path&) { return std::string(); };  // library_file.hpp
};

// The machine's, with the environment as it is now.
SearchWorld real_world();

// Every place in order of the search, once for each major version found there.
std::vector<Installation> find_installations(const std::filesystem::path& explicit_path, const SearchWorld& world);

// The one to use, or null. `driver_major` is the newest CUDA major version that the driver runs; 0: no driver.
const Installation* choose_installation(const std::vector<Installation>& installations, int driver_major);

}  // namespace graft::toolchain
