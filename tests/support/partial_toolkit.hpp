// A folder that looks like a toolkit but contains only some of a toolkit's libraries, as links to this machine's
// libraries. The folder simulates machines without NVRTC or nvJitLink.
#pragma once

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "toolchain/driver.hpp"
#include "toolchain/installation.hpp"

namespace graft::test {

class PartialToolkit {
 public:
  PartialToolkit(bool nvrtc, bool nvjitlink) : PartialToolkit() {
    const auto installations = toolchain::find_installations({}, toolchain::real_world());
    const toolchain::Installation* own = toolchain::choose_installation(installations, 0);
    if (own == nullptr) throw std::runtime_error("no toolkit");
    if (nvrtc) add_nvrtc(own->nvrtc);
    if (nvjitlink) add(own->nvjitlink);
  }
  // Combines the libraries of two installations.
  PartialToolkit(const std::filesystem::path& nvrtc, const std::filesystem::path& nvjitlink) : PartialToolkit() {
    if (!nvrtc.empty()) add_nvrtc(nvrtc);
    if (!nvjitlink.empty()) add(nvjitlink);
  }

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  PartialToolkit() = default;
  void add(const std::filesystem::path& library) {
    std::filesystem::create_symlink(std::filesystem::canonical(library), folder_.path() / library.filename());
  }
  // Puts symbolic links to NVRTC and its builtins library into the folder, because NVRTC looks for the builtins in its
  // own folder.
  void add_nvrtc(const std::filesystem::path& library) {
    add(library);
    for (const auto& entry : std::filesystem::directory_iterator(library.parent_path()))
      if (entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) add(entry.path());
  }

  base::TemporaryFolder folder_;
};

inline bool is_loaded(const char* library) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

// Runs a test's body in a child process, in which no earlier test has loaded a tool. The body returns a description of
// what went wrong, or an empty string. The body must not use EXPECT_, because the parent process does not see the
// child's failures.
template <class Body>
std::string in_own_process(Body body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    std::string failure;
    try {
      failure = body();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const ssize_t written = write(ends[1], failure.data(), failure.size());
    _exit(written == static_cast<ssize_t>(failure.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : "the process ended with status " + std::to_string(status) + ": " + text;
}

}  // namespace graft::test
