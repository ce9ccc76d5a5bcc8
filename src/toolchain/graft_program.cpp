// Finds the program `graft`. own_file() returns the file that contains graft's code; the search starts in the folder of
// that file. usable() checks a program that the user named.
//
// The search must not take a program that somebody else has planted. An application in /tmp/build/app must not look for
// /tmp/bin/graft, which anybody may create, so places() leaves the library's folder only by the names that
// installations have. It also examines who can write the program and its folders (trusted_file.hpp).
#include "toolchain/graft_program.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/format.hpp"
#include "base/read_file.hpp"
#include "toolchain/program_path.hpp"
#include "toolchain/trusted_file.hpp"

namespace graft::toolchain {
namespace {

namespace fs = std::filesystem;

// Returns the file that contains this code: libgraft.so or, if graft is linked statically, the executable.
//
// Linux lists the mappings of this process in /proc/self/maps, where each file has its absolute path. dladdr would not
// be reliable. If graft is linked statically, dladdr returns argv[0], which the parent process chooses. If the library
// was loaded by a relative path, dladdr returns the relative path even after a chdir. The following is a line of
// /proc/self/maps, in which only the path has slashes:
//
//     7f0c2a400000-7f0c2a5c1000 r-xp 00028000 08:01 2365   /usr/lib/libgraft.so.0.2.0
fs::path own_file() {
  const auto here = reinterpret_cast<std::uintptr_t>(&own_file);
  const std::string mappings = base::read_file("/proc/self/maps").value_or("");
  for (std::size_t begin = 0; begin < mappings.size();) {
    const std::size_t end = std::min(mappings.find('\n', begin), mappings.size());
    const std::string line = mappings.substr(begin, end - begin);
    begin = end + 1;
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2 || here < from || here >= to) continue;
    const std::size_t path = line.find('/');
    if (path == line.npos) break;
    // A library that was loaded from memory is listed as "/memfd:name (deleted)", which is not a file in a folder.
    if (fs::path file = line.substr(path); file.has_parent_path() && file.parent_path() != "/") return file;
  }
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);  // the code is not mapped from a file in a folder
}

fs::path usable(const fs::path& program, const std::string& whose, std::string& why) {
  if (is_program(program)) return program;
  why = base::format("{} is {}, which is not a program that this user may run", whose, program.string());
  return {};
}

struct Place {
  fs::path program;
  fs::path top;  // the folder in which both the program and graft's own code are
};

// The places of the program, for graft's code in `folder`.
std::vector<Place> places(const fs::path& folder) {
  const auto is_library_folder = [](const fs::path& one) {
    return one.filename() == "lib" || one.filename() == "lib64";
  };
  std::vector<Place> found = {{folder / "graft", folder}};
  const fs::path above = folder.parent_path();
  if (is_library_folder(folder) || folder.filename() == "bin") found.push_back({above / "bin/graft", above});
  // On Debian, libraries are in lib/x86_64-linux-gnu.
  if (is_library_folder(above)) found.push_back({above.parent_path() / "bin/graft", above.parent_path()});
  return found;
}

fs::path find_beside(const fs::path& own, std::string& why) {
  const Trusted trusted = trusted_beside(own);
  std::vector<std::string> folders;
  std::string objections;
  for (const Place& place : places(own.parent_path())) {
    folders.push_back(place.program.parent_path().string());
    if (!is_program(place.program)) continue;
    const std::string objection = objection_to(place.program, place.top, trusted);
    if (objection.empty()) return place.program;
    objections += base::format("; {} is not used, since {}", place.program.string(), objection);
  }
  why = base::format("there is no program `graft` in {}{}", base::join(folders, " or "), objections);
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
  return find_beside(own_file(), why);
}

}  // namespace graft::toolchain
