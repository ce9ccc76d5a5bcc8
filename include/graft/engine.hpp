// What transforms share: the toolkit, the kernels made and loaded, and counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <graft/error.hpp>
#include <graft/export.hpp>

namespace graft {

struct EngineOptions {
  std::filesystem::path cuda_path;      // the toolkit to use; empty: search (GRAFT_CUDA_PATH, CUDA_HOME, ...)
  std::filesystem::path host_compiler;  // for the host route; empty: GRAFT_CXX, CXX, c++, g++, clang++
};

// Monotonic since the engine was made.
struct Counters {
  std::uint64_t creates = 0;      // create and build calls
  std::uint64_t memory_hits = 0;  // answered by a kernel made before
  std::uint64_t builds = 0;       // compiled and linked
  std::uint64_t failed_builds = 0;
  std::uint64_t waits = 0;  // calls that waited for another thread's build of the same kernel
  std::uint64_t loads = 0;  // kernels loaded into the driver
};

// Thread-safe. Its destructor unloads nothing: kernels whose launches may be queued stay loaded until the process ends
// or release_unused() is called.
class GRAFT_API Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The process's own, made at first use and set up from the environment once.
  static Engine& shared();

  Counters counters() const;

  // Unloads the kernels that no Transform refers to. The caller makes sure that none of their launches is queued or
  // captured in a graph. Returns how many were unloaded.
  std::size_t release_unused();

  // Opens the compiler and the linker now, so that the first create need not. Throws Error(ToolMissing).
  void preload();

  // Which toolkit, driver and host compiler were found, where and why; for people.
  std::string describe_tools() const;

  class Impl;
  Impl& impl() noexcept { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace graft
