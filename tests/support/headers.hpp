// Headers on disk for tests, and kernels that tell which text of a header they were made of.
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/graft.hpp"

namespace graft::test {

// A folder of headers, gone with its owner.
class HeaderFolder {
 public:
  std::string path(const std::string& name = "") const { return (folder_.path() / name).string(); }

  // Writes into the file that is there; makes folders as needed.
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    if (!base::write_file(path(name), base::as_bytes(text))) std::abort();
  }
  // A header that gives the callback of `sized_callback` its value.
  void write_value(const std::string& name, int value) const {
    write(name, "#define VALUE " + std::to_string(value) + "\n");
  }
  // Makes or replaces a symbolic link.
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::filesystem::remove(path(name));
    std::filesystem::create_symlink(target, path(name));
  }
  void make_folder(const std::string& name) const { std::filesystem::create_directories(path(name)); }

 private:
  base::TemporaryFolder folder_;
};

// Waits until what was changed before the call is old enough for graft to keep kernels that are made of it (20 ms, as
// the clock of file times has steps).
inline void let_headers_age() {
  std::this_thread::sleep_for(std::chrono::milliseconds(35));
}

// A callback whose state has as many bytes as VALUE says, so that the signature tells which header was compiled.
inline std::string sized_callback(const std::string& include) {
  return "#include " + include +
         "\nstruct Sized { char bytes[VALUE]; };\n"
         "__device__ float f(float x, const Sized& s) { return x + s.bytes[0]; }\n";
}

inline int value_of(const Image& image) {
  return image.signature().state() ? static_cast<int>(image.signature().state()->size) : 0;
}

}  // namespace graft::test
