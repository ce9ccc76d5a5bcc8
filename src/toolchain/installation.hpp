// Finds the installations of NVRTC and nvJitLink on the machine and chooses one. The search looks at file names only
// and opens no library, because opening one costs milliseconds.
//
// Order of the search: an explicit path; GRAFT_CUDA_PATH; the loader's path (libraries that are already loaded, the
// application's rpath, LD_LIBRARY_PATH, the system's folders); CUDA_HOME and CUDA_PATH; the active Python environment
// (VIRTUAL_ENV, CONDA_PREFIX: wheels in nvidia/cu13, or in the older nvidia/cuda_nvrtc and nvidia/nvjitlink); the
// conventional folders (/usr/local/cuda, /usr/local/cuda-<newest>, /opt/cuda).
//
// If the user named an installation for graft (an explicit path or GRAFT_CUDA_PATH), the search ends there. Otherwise
// the choice is among the installations whose major version the driver can run (all, if there is no driver): prefer the
// one with the more complete tools, then the newest, then the first in the search. A tool that is known to be bad
// counts as missing.
//
// The search ignores relative paths from the environment and the loader's path, and lists them as ignored: they mean
// the working folder, in which anybody may have put a library. An explicit path may be relative: the application
// chose it.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "toolchain/version.hpp"

namespace graft::toolchain {

// A place in which the search looked for tools. Both tools' paths are empty if the place has none, or if the search has
// met the same files before under another name.
struct Installation {
  std::string origin;          // "GRAFT_CUDA_PATH", "the loader's path", ...
  std::filesystem::path root;  // empty for a variable that is not set
  std::filesystem::path nvrtc = {};
  std::filesystem::path nvjitlink = {};
  std::filesystem::path include = {};  // the folder with cuda_fp16.h and vector_types.h
  Version version = {};  // from file names: the major version from sonames, the minor from NVRTC's builtins, else 0
  std::filesystem::path builtins = {};  // NVRTC's builtins library, which is in NVRTC's folder
  bool named = false;                   // the user named this place for graft, so no other one is taken

  std::string left_out = {};  // why the search ignored this place: "relative path, ignored"

  // Why a tool that exists here cannot be used, as far as that is known.
  std::string bad_nvrtc = {};  // about NVRTC or its builtins
  std::string bad_nvjitlink = {};

  // Only precompiling and NVVM IR need these files; empty when missing. They do not influence the choice.
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

// The major versions of CUDA that graft supports, newest first.
inline constexpr std::array<int, 2> kMajorVersions = {13, 12};

// Everything that the search reads from the machine, so that a test can simulate installations that do not exist.
struct SearchWorld {
  using Path = std::filesystem::path;
  std::function<std::string(const char*)> environment;
  std::function<bool(const Path&)> exists;
  std::function<std::vector<Path>(const Path&)> list;  // the full paths of a folder's entries, in any order
  std::function<std::vector<Path>()> loader_folders = [] { return std::vector<Path>(); };
  std::function<Path(const Path&)> canonical = [](const Path& path) { return path; };         // resolves symbolic links
  std::function<std::string(const Path&)> fault = [](const Path&) { return std::string(); };  // library_file.hpp
};

// The real machine, with a copy of the environment variables as they are now.
SearchWorld real_world();

// All places in the order of the search, those without tools too. A place with several major versions is listed once
// for each of them.
std::vector<Installation> find_installations(const std::filesystem::path& explicit_path, const SearchWorld& world);

// The installation to use, or null. `driver_major` is the newest CUDA major version that the driver runs; 0: no driver.
const Installation* choose_installation(const std::vector<Installation>& installations, int driver_major);

}  // namespace graft::toolchain
