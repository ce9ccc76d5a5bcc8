// The machine's C++ compiler, for the host route: compiles one source to a shared object.
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
  // Name ("graft/device.h", for #include <graft/device.h>) and text. A header is written below a temporary folder, so
  // its name must be relative and without "..".
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> options;  // "-O2", "-ffp-contract=off", "-I/..."
};

struct HostCompilation {
  bool ok = false;
  std::string log;
  base::Bytes object = {};          // a shared object
  std::string system_failure = {};  // not empty: the operating system refused something, and the source is not to blame
  bool timed_out = false;           // the compiler took too long and was killed; the log says so
};

// Time limits, after which the compiler is killed.
struct HostCompilerTimes {
  std::chrono::milliseconds version = std::chrono::seconds(30);  // for --version
  std::chrono::milliseconds compile = std::chrono::minutes(10);
};

// Thread-safe. Each call reaps its child processes before it returns.
class HostCompiler {
 public:
  // Takes the first of these that answers --version: `explicit_path`, the variables GRAFT_CXX and CXX, then c++, g++
  // and clang++ in PATH. If `explicit_path` or GRAFT_CXX is set, nothing else is tried. Null with `why` when there is
  // no compiler.
  //
  // A variable contains the absolute path of an executable file, or a command ("ccache g++ -m64", quoted as for a
  // shell: command_words.hpp). Relative paths are ignored, also in PATH, so that nothing in the working folder is run.
  static std::shared_ptr<const HostCompiler> find(const std::filesystem::path& explicit_path, std::string& why,
                                                  HostCompilerTimes times = {});

  const std::filesystem::path& path() const noexcept { return path_; }
  const std::string& version() const noexcept { return version_; }  // first line of --version

  // Runs the compiler without a shell, in a private temporary folder, which is removed afterwards.
  HostCompilation compile(const HostProgram& program) const;

 private:
  std::vector<std::string> command_;  // the program and its first arguments: "ccache", "g++"
  std::filesystem::path path_;
  std::string version_;
  HostCompilerTimes times_;
};

}  // namespace graft::toolchain
