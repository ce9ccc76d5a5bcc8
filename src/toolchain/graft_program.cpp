#include "toolchain/graft_program.hpp"

#include <dlfcn.h>

#include <system_error>

#include "base/format.hpp"
#include "toolchain/program_path.hpp"

namespace graft::toolchain {
namespace {

namespace fs = std::filesystem;

// The file that this code was loaded from: the shared library, or the executable.
fs::path own_file() {
  std::error_code error;
  Dl_info info{};
  static const int here = 0;
  if (::dladdr(&here, &info) != 0 && info.dli_fname != nullptr && info.dli_fname[0] == '/') {
    // Of an executable the loader has the name that it was started by, which anybody may choose.
    fs::path library = fs::canonical(info.dli_fname, error);
    if (!error) return library;
  }
  fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : executable;
}

fs::path usable(const fs::path& program, const std::string& whose, std::string& why) {
  if (is_program(program)) return program;
  why = base::format("{} is {}, which is no program that this user may run", whose, program.string());
  return {};
}

}  // namespace

fs::path find_graft_program(const fs::path& given, const std::string& variable, std::string& why) {
  if (!given.empty()) return usable(given, "EngineOptions::program", why);
  if (!variable.empty() && !variable.starts_with('/')) {
    why = base::format("GRAFT_PROGRAM is \"{}\", which is relative: left out", variable);
    return {};
  }
  if (!variable.empty()) return usable(variable, "GRAFT_PROGRAM", why);
  const fs::path folder = own_file().parent_path();
  const fs::path above = folder.parent_path();
  // Debian has libraries in lib/x86_64-linux-gnu.
  for (const fs::path& program : {folder / "graft", above / "bin/graft", above.parent_path() / "bin/graft"})
    if (is_program(program)) return program;
  why = base::format("there is no program `graft` in {}, nor in {}", folder.string(), (above / "bin").string());
  return {};
}

}  // namespace graft::toolchain
