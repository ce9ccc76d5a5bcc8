// Runs the built program as a process, with a temporary folder of its own as the current folder.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/engine.hpp"

namespace graft::test {

struct Result {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class Program {
 public:
  // Runs `graft` with these arguments. Arguments that a shell would change must already be quoted.
  Result run(const std::string& words, const std::string& environment = "") const {
    return shell(environment + " graft " + words);
  }

  // Runs a command line in a shell whose PATH contains `graft`.
  Result shell(const std::string& line) const {
    const std::string program = std::filesystem::path(GRAFT_PROGRAM).parent_path().string();
    const std::string command = "cd '" + folder_.path().string() +
                                "' && (export GRAFT_CACHE= GRAFT_CACHE_DIR=\"$PWD/own-cache\" PATH='" + program +
                                "':\"$PATH\"; " + line + "\n) >.out 2>.err </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(".out"), read(".err")};
  }

  // Of an engine with the program's cache.
  EngineOptions engine_options() const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = path("own-cache");
    options.cache.layers.emplace();
    return options;
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string read(const std::string& name) const { return base::read_file(path(name)).value_or("<no file>"); }
  void write(const std::string& name, std::string_view content) const {
    if (!base::write_file(path(name), base::as_bytes(content))) std::abort();
  }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), std::filesystem::directory_iterator()));
  }

 private:
  base::TemporaryFolder folder_;
};

}  // namespace graft::test
