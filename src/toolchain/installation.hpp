// Finds the installations of the tools NVRTC and nvJitLink on the machine and chooses one installation. The search
// looks at file names only and opens no library, because opening a library takes milliseconds.
//
// The search looks at these places in this order:
//
//     1   an explicit path
//     2   GRAFT_CUDA_PATH
//     3   the loader's path: libraries that are already loaded, the application's rpath, LD_LIBRARY_PATH, and the
//         system's folders
//     4   CUDA_HOME and CUDA_PATH
//     5   the active Python environment (VIRTUAL_ENV, CONDA_PREFIX), with wheels in nvidia/cu13, or in the older
//         nvidia/cuda_nvrtc and nvidia/nvjitlink
//     6   the conventional folders: /usr/local/cuda, /usr/local/cuda-<newest>, /opt/cuda
//
// If the user named an installation for graft (an explicit path or GRAFT_CUDA_PATH), the search ends at the named
// place. Otherwise the choice is among the installations whose major version the driver can run, or among all
// installations if there is no driver. Among these, graft chooses an installation with both tools if there is one,
// otherwise an installation with NVRTC only, otherwise one with nvJitLink only. If several installations have the same
// tools, graft chooses the newest. If several of these have the same version, graft chooses the one that the search
// found first. A tool that is known to be unusable (bad_nvrtc, bad_nvjitlink) counts as missing. NVRTC also counts as
// missing if its builtins library (libnvrtc-builtins.so) is missing, because NVRTC loads this library to compile.
//
// The search ignores relative paths in the environment variables and in the loader's path, and lists them as ignored. A
// relative path means the working folder, in which anybody may have put a library. An explicit path may be relative,
// because the application chose it.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/version.hpp"

namespace graft::toolchain {

// A place in which the search looked for tools. `nvrtc` and `nvjitlink` are both empty if the place has no tools, or if
// the search has already found the same files under another name.
struct Installation {
  std::string origin;          // "GRAFT_CUDA_PATH", "the loader's path", ...
  std::filesystem::path root;  // empty for a variable that is not set
  std::filesystem::path nvrtc = {};
  std::filesystem::path nvjitlink = {};
  std::filesystem::path include = {};  // the folder with cuda_fp16.h and vector_types.h
  // The CUDA version, as file names show it. The major version is from the sonames. The minor version is from the name
  // of NVRTC's builtins library, and 0 if that library is missing.
  Version version = {};
  std::filesystem::path builtins = {};  // the file of NVRTC's builtins library, in the folder of NVRTC
  bool named = false;                   // the user named this place for graft, so graft uses no other place

  std::string why_ignored = {};  // why the search ignored this place ("relative path, ignored"), or empty

  // Why the tool, whose file exists, cannot be used. Empty if no fault is known.
  std::string bad_nvrtc = {};  // about NVRTC or its builtins
  std::string bad_nvjitlink = {};

  // Files that only precompiling (graft::precompile) and callbacks in NVVM IR need: two libraries, and the bitcode of
  // libdevice, which is NVIDIA's library of math functions. Empty if missing. These files do not influence the choice
  // of an installation.
  std::filesystem::path nvvm = {};      // libNVVM
  std::filesystem::path nvfatbin = {};  // libnvfatbin
  std::filesystem::path libdevice = {};

  bool has_tools() const noexcept { return !nvrtc.empty() || !nvjitlink.empty(); }
  std::string text() const { return root.string() + " (" + origin + ")"; }
};

// The variables that the search reads, in the order of the search.
inline constexpr const char* kGraftPath = "GRAFT_CUDA_PATH";
inline constexpr std::array<const char*, 2> kToolkitVariables = {"CUDA_HOME", "CUDA_PATH"};
inline constexpr std::array<const char*, 2> kPythonVariables = {"VIRTUAL_ENV", "CONDA_PREFIX"};

// Set to 1, gives graft a copy of nvJitLink of its own (LinkerLibrary::Copy).
inline constexpr const char* kPrivateLinker = "GRAFT_PRIVATE_LINKER";

// The major versions of CUDA that graft supports, newest first, and the oldest version of NVRTC and nvJitLink. NVRTC
// 12.3 and older refuse options that graft passes (--minimal), and nvJitLink 12.2 and older do not tell their version.
inline constexpr std::array<int, 2> kMajorVersions = {13, 12};
inline constexpr Version kOldestTools = {12, 4};

// The functions with which the search reads the machine. A test replaces them to simulate installations.
struct SearchWorld {
  using Path = std::filesystem::path;
  std::function<std::string(const char*)> environment;
  std::function<bool(const Path&)> exists;
  std::function<std::vector<Path>(const Path&)> list;  // full paths of a folder's entries, in any order
  std::function<std::vector<Path>()> loader_folders = [] { return std::vector<Path>(); };
  std::function<Path(const Path&)> canonical = [](const Path& path) { return path; };  // resolves symbolic links
  std::function<std::string(const Path&)> fault = [](const Path&) {
    return std::string();
  };  // says why a library cannot be loaded, or nothing (fault_of_library() of library_file.hpp)
};

// Returns functions that read the real machine. `environment` returns the values that the variables have at the time of
// this call.
SearchWorld real_world();

// Returns all places in the order of the search, also places without tools. If a place has several major versions, the
// result has an element for each major version.
std::vector<Installation> find_installations(const std::filesystem::path& explicit_path, const SearchWorld& world);

// Returns the installation to use, or null. `driver_major` is the newest CUDA major version that the driver runs, or 0
// if there is no driver.
const Installation* choose_installation(const std::vector<Installation>& installations, int driver_major);

}  // namespace graft::toolchain
