// Header files on disk for tests, and callbacks whose signature shows which version of a header was compiled.
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/graft.hpp"

namespace graft::test {

// A folder of header files, deleted by the destructor.
class HeaderFolder {
 public:
  std::string path(const std::string& name = "") const { return (folder_.path() / name).string(); }

  // Overwrites the file in place (it keeps its inode) and creates missing folders.
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    if (!base::write_file(path(name), base::as_bytes(text))) std::abort();
  }
  // Writes a header that defines VALUE, which `sized_callback` uses.
  void write_value(const std::string& name, int value) const {
    write(name, "#define VALUE " + std::to_string(value) + "\n");
  }
  // Creates the symbolic link. If a link or file of this name exists, it is replaced.
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::filesystem::remove(path(name));
    std::filesystem::create_symlink(target, path(name));
  }
  void make_folder(const std::string& name) const { std::filesystem::create_directories(path(name)); }

 private:
  base::TemporaryFolder folder_;
};

// Waits until the files changed so far are old enough for graft to cache kernels made from them. graft demands an age
// of 20 ms because the clock of file times has coarse steps.
inline void let_headers_age() {
  std::this_thread::sleep_for(std::chrono::milliseconds(35));
}

// Returns a callback whose state has VALUE bytes, so that the size of its state shows which header was compiled.
inline std::string sized_callback(const std::string& include) {
  return "#include " + include +
         "\nstruct Sized { char bytes[VALUE]; };\n"
         "__device__ float f(float x, const Sized& s) { return x + s.bytes[0]; }\n";
}

inline int value_of(const Image& image) {
  return image.signature().state() ? static_cast<int>(image.signature().state()->size) : 0;
}

// Returns what the transform computes from 1 on the host.
inline float result_of_one(const Transform& transform) {
  const std::vector<float> in = {1};
  std::vector<float> out(1);
  transform.execute(host, in, out);
  return out[0];
}

}  // namespace graft::test
