// The files and environment variables of a made-up machine, as input for the search for CUDA installations.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "toolchain/installation.hpp"

namespace graft::toolchain {

struct FakeWorld {
  using Path = std::filesystem::path;
  std::map<std::string, std::string> variables;
  std::vector<Path> loader;
  // The symbolic links. A key is the beginning of a path, and the value is the path that replaces this beginning.
  std::map<std::string, std::string> links;
  std::set<Path> files;  // files and folders

  void add(const Path& file) {
    for (Path path = file; path != path.root_path(); path = path.parent_path()) files.insert(path);
  }
  void add_nvrtc(const Path& folder, const std::string& version) {
    add(folder / ("libnvrtc.so." + version.substr(0, version.find('.'))));
    add(folder / ("libnvrtc-builtins.so." + version));
  }
  void add_tools(const Path& folder, const std::string& version) {
    add_nvrtc(folder, version);
    add(folder / ("libnvJitLink.so." + version.substr(0, version.find('.'))));
  }
  void add_headers(const Path& folder) {
    add(folder / "cuda_fp16.h");
    add(folder / "vector_types.h");
  }

  // Returns the functions by which the search reads this machine. They refer to this FakeWorld, which must outlive
  // them.
  SearchWorld world() const {
    SearchWorld world;
    world.environment = [this](const char* name) { return variables.contains(name) ? variables.at(name) : ""; };
    world.exists = [this](const Path& path) { return files.contains(path); };
    world.list = [this](const Path& folder) {
      std::vector<Path> children;
      for (const Path& file : files)
        if (file.parent_path() == folder) children.push_back(file);
      return children;
    };
    world.loader_folders = [this] { return loader; };
    world.canonical = [this](const Path& path) {
      for (const auto& [from, to] : links)
        if (path.string().starts_with(from)) return Path(to + path.string().substr(from.size()));
      return path;
    };
    return world;
  }
};

}  // namespace graft::toolchain
