// The host's C++ compiler, for the host route: source in, a shared object out.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace graft::toolchain {

struct HostProgram {
  std::string source;
  // Name ("graft/device.h") and text; found by #include <name>. A name stays inside the folder: no "/x", no "..".
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> options;  // "-O2", "-ffp-contract=off", "-I/..."
};

struct HostCompilation {
  bool ok = false;
  std::string log;
  base::Bytes object = {};          // a shared object
  std::string system_failure = {};  // what the operating system refused, and where: the source is not to blame
  bool timed_out = false;           // the compiler was ended, and the log says so
};

// How long the compiler may take.
struct HostCompilerTimes {
  std::chrono::milliseconds version = std::chrono::seconds(30);  // to answer --version
  std::chrono::milliseconds compile = std::chrono::minutes(10);
};

// Thread-safe. Children are reaped before a call returns.
class HostCompiler {
 public:
  // `explicit_path`, else GRAFT_CXX, CXX, c++, g++, clang++ in PATH. Null with `why` when there is none. The first two
  // are final. A variable names an executable file by its absolute path, or holds words ("ccache g++", quoted as in a
  // shell), the first of which is the program. Relative paths are left out, in PATH too: nothing is run from the
  // working folder.
  static std::shared_ptr<const HostCompiler> find(const std::filesystem::path& explicit_path, std::string& why,
                                                  HostCompilerTimes times = {});

  const std::filesystem::path& path() const noexcept { return path_; }
  const std::string& version() const noexcept { return version_; }  // first line of --version

  // Runs it without a shell, its files in a private temporary folder that is removed again.
  HostCompilation compile(const HostProgram& program) const;

 private:
  std::vector<std::string> command_;  // the program and the words that follow it
  std::filesystem::path path_;
  std::string version_;
  HostCompilerTimes times_;
};

}  // namespace graft::toolchain
