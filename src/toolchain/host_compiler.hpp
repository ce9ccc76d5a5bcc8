// The machine's C++ compiler. The host route, which runs callbacks on the CPU, compiles a source with it to a shared
// object.
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
  // The headers, each as a name ("graft/device.h", for #include <graft/device.h>) and a text. The name must be a
  // relative path without "..", because the header is written into a temporary folder under this name.
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> options;  // "-O2", "-ffp-contract=off", "-I/..."
};

struct HostCompilation {
  bool ok = false;
  std::string log;          // the compiler's output
  base::Bytes object = {};  // the shared object; empty after a failure
  // What the operating system refused (a file, memory, a process), if the refusal made the compile fail. Otherwise
  // empty.
  std::string system_failure = {};
  bool timed_out = false;  // whether the compiler was killed at the time limit; the log then says so
};

// Time limits. A compiler that exceeds its limit is killed.
struct HostCompilerTimes {
  std::chrono::milliseconds version = std::chrono::seconds(30);  // for the compiler's answer to --version
  std::chrono::milliseconds compile = std::chrono::minutes(10);
};

// Thread-safe. Each call reaps its child processes before it returns.
class HostCompiler {
 public:
  // Tries `explicit_path`, then the variables GRAFT_CXX and CXX, then c++, g++ and clang++ in PATH, and returns the
  // first compiler that runs with --version. If `explicit_path` or GRAFT_CXX is set, tries no other compiler. Returns
  // null and sets `why` if no compiler runs.
  //
  // A variable contains the absolute path of an executable file, or a command such as "ccache g++ -m64", with quotes as
  // in a shell (command_words.hpp). Relative paths are ignored, also in PATH, so that no program in the working folder
  // is run.
  static std::shared_ptr<const HostCompiler> find(const std::filesystem::path& explicit_path, std::string& why,
                                                  HostCompilerTimes times = {});

  const std::filesystem::path& path() const noexcept { return path_; }
  const std::string& version() const noexcept { return version_; }  // the first line that --version prints

  // Runs the compiler without a shell, in a private temporary folder, and removes the folder afterwards.
  HostCompilation compile(const HostProgram& program) const;

 private:
  std::vector<std::string> command_;  // the program and its first arguments: "ccache", "g++"
  std::filesystem::path path_;
  std::string version_;
  HostCompilerTimes times_;
};

}  // namespace graft::toolchain
