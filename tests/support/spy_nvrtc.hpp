// A copy of this machine's toolkit in which NVRTC is replaced by a spy (spy_nvrtc.cpp) that logs the options of each
// compile. Tests use it to count compiles and to check compiler options:
//
//     const SpyToolkit spy;
//     Engine engine({.cuda_path = spy.path()});
//     build(engine, source, Architecture(90));
//     EXPECT_EQ(spy.compiles().size(), 1u);
//
// A process may have only one SpyToolkit at a time, because the spy finds its files through environment variables,
// which child processes inherit. A test that uses SpyToolkit lists the CMake target graft_spy_nvrtc among its
// LIBRARIES.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "toolchain/installation.hpp"

namespace graft::test {

class SpyToolkit {
 public:
  using Options = std::vector<std::string>;

  SpyToolkit() {
    namespace fs = std::filesystem;
    const auto installations = toolchain::find_installations({}, toolchain::real_world());
    const toolchain::Installation* const own = toolchain::choose_installation(installations, 0);
    if (own == nullptr) throw std::runtime_error("no toolkit");
    fs::create_directory(folder_.path() / "lib64");
    link(own->nvrtc, GRAFT_SPY_NVRTC);
    for (const fs::path& file : {own->builtins, own->nvjitlink, own->nvfatbin})
      if (!file.empty()) link(file, fs::canonical(file));
    if (!own->include.empty()) fs::create_directory_symlink(own->include, folder_.path() / "include");
    ::setenv("GRAFT_SPY_NVRTC_REAL", fs::canonical(own->nvrtc).c_str(), 1);
    ::setenv("GRAFT_SPY_NVRTC_LOG", log().c_str(), 1);
    version_ = own->version;
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  Version version() const { return version_; }  // the version of the real NVRTC

  // The options of each compile since construction or the last forget(), in order.
  std::vector<Options> compiles() const {
    std::vector<Options> all;
    std::istringstream lines(base::read_file(log()).value_or(""));
    for (std::string line; std::getline(lines, line);) all.push_back(split(line));
    return all;
  }
  void forget() const { std::filesystem::remove(log()); }

  // Builds, and returns how the spy's attempts went to start processes during the compile (spy_nvrtc.cpp).
  template <class Build>
  std::string escapes_of(Build build) const {
    const std::string file = folder_.path() / "escapes";
    std::filesystem::remove(file);
    ::setenv("GRAFT_SPY_NVRTC_ESCAPE", file.c_str(), 1);
    build();
    ::unsetenv("GRAFT_SPY_NVRTC_ESCAPE");
    return base::read_file(file).value_or("");
  }

 private:
  std::filesystem::path log() const { return folder_.path() / "compiles"; }
  void link(const std::filesystem::path& name, const std::filesystem::path& target) const {
    std::filesystem::create_symlink(target, folder_.path() / "lib64" / name.filename());
  }
  static Options split(const std::string& line) {
    Options options(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\t') options.emplace_back();
      else if (line[i] == '\\') options.back() += line[++i] == 't' ? '\t' : line[i] == 'n' ? '\n' : line[i];
      else options.back() += line[i];
    }
    return options;
  }

  base::TemporaryFolder folder_;
  Version version_;
};

}  // namespace graft::test
