// Finds the program `graft`. own_file() returns the file that contains graft's code; the search starts in the folder of
// that file. usable() checks a program that the user named.
#include "toolchain/graft_program.hpp"

#include <dlfcn.h>

#include <system_error>

#include "base/format.hpp"
#include "toolchain/program_path.hpp"

namespace graft::toolchain {
namespace {

namespace fs = std::filesystem;

// The file that contains this code, which is libgraft.so or, if graft is linked statically, the executable.
fs::path own_file() {
  std::error_code error;
  Dl_info info{};
  static const int here = 0;
  if (::dladdr(&here, &info) != 0 && info.dli_fname != nullptr && info.dli_fname[0] == '/') {
    // If graft is linked statically, dli_fname is argv[0], which the parent process chooses and which may not be an
    // existing file. In that case fall back to /proc/self/exe.
    fs::path library = fs::canonical(info.dli_fname, error);
    if (!error) return library;
  }
  fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : executable;
}

fs::path usable(const fs::path& program, const std::string& whose, std::string& why) {
  if (is_program(program)) return program;
  why = base::format("{} is {}, which is not a program that this user may run", whose, program.string());
  return {};
}

}  // namespace

fs::path find_graft_program(const fs::path& given, const std::string& variable, std::string& why) {
  if (!given.empty()) return usable(given, "EngineOptions::program", why);
  if (!variable.empty() && !variable.starts_with('/')) {
    why =
        base::format("GRAFT_PROGRAM is \"{}\", a relative path, which graft ignores; give an absolute path", variable);
    return {};
  }
  if (!variable.empty()) return usable(variable, "GRAFT_PROGRAM", why);
  const fs::path folder = own_file().parent_path();
  const fs::path above = folder.parent_path();
  // The third candidate is for Debian, where libraries are in lib/x86_64-linux-gnu.
  for (const fs::path& program : {folder / "graft", above / "bin/graft", above.parent_path() / "bin/graft"})
    if (is_program(program)) return program;
  why = base::format("there is no program `graft` in {} or {}", folder.string(), (above / "bin").string());
  return {};
}

}  // namespace graft::toolchain
