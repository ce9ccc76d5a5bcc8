// Engine: what several transforms share: the CUDA toolkit in use, the kernels built and loaded so far, the disk cache,
// worker threads and counters. Most programs use Engine::shared() through the functions that take no Engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <graft/error.hpp>
#include <graft/export.hpp>

namespace graft {

// Where an engine may look for a kernel, and whether it may build one.
enum class CachePolicy : std::uint8_t {
  Off,              // no cache: every request builds its kernel
  MemoryOnly,       // the kernels that this engine made
  ReadOnly,         // memory and disk; files are never changed
  ReadWrite,        // memory and disk; newly built kernels are stored on disk
  ForbidCompiling,  // as ReadOnly, but a request that is found nowhere throws Error(CompilingForbidden)
};

// The cache. A request searches memory, then the read-only layers, then the user's own folder; if nothing is found, the
// kernel is built. Problems with cache files never fail a request: the kernel is built, and the report's notes say what
// went wrong.
//
// Memory: headers are not read again, so an engine does not notice when a header on disk changes. A callback that
// contains an #include has one kernel for each working folder.
//
// Disk: a hit runs no compiler. graft itself scans for #include lines and hashes the content of every file that each
// #include could name; paths are resolved as the operating system resolves them. A toolkit's own headers are identified
// by the toolkit, and a header that is found nowhere by its name. The scan cannot establish the meaning of some
// requests, for instance with a computed #include, __has_include, __FILE__, __DATE__, or a header that is a FIFO, is
// unreadable or exceeds 64 MiB. Those requests, and requests of the host route, are cached in memory only, and the
// report's notes say why. A FIFO, or a file above 1 GiB, where a compiler would look for a header is an error, because
// the compiler would wait for its end.
//
// A header that is edited during a build, or was edited less than 20 ms before it, may be compiled in its old or its
// new version. Such a kernel is used for this one call and stored nowhere; other threads that wait for the same kernel
// build their own, and the report has a note with the file's name. graft compares files' change times with this
// machine's clock, so the clock of a file server should agree with it.
struct CacheOptions {
  // Unset: GRAFT_CACHE (off, memory, read-only, read-write, forbid-compiling), else ReadWrite.
  std::optional<CachePolicy> policy = {};
  // The user's own folder. Empty: GRAFT_CACHE_DIR, else $XDG_CACHE_HOME/graft, else ~/.cache/graft. A folder is not
  // used if it belongs to another user, if others can write to it, or if it is a symbolic link. The same rule applies
  // to each cache entry in it.
  std::filesystem::path folder = {};
  // Read-only folders, searched in this order. They and their cache entries must belong to this user or to root. Unset:
  // GRAFT_CACHE_PATH, separated by colons.
  std::optional<std::vector<std::filesystem::path>> layers = {};
  // Size limit of the user's own folder in bytes; above it, the least recently used cache entries are deleted. 0:
  // GRAFT_CACHE_MAX_BYTES (with the suffix k, M or G if wanted), else 1 GiB.
  std::uint64_t max_bytes = 0;
  // false: a cache entry stays valid when other tools are installed. (An entry whose route was chosen only because a
  // tool was missing or unfit becomes invalid when those tools change.) true: the tools' versions are part of the cache
  // key.
  bool exact_tools = false;
  // How long to wait while another process builds the same kernel; after that this process builds it too.
  std::chrono::milliseconds lock_wait{30'000};
};

// Relative paths here and in `cache` are resolved against the working folder at the time when the engine is made.
// Relative paths in environment variables are ignored, so that nothing is loaded or run from a working folder that the
// application did not name.
struct EngineOptions {
  // The CUDA toolkit to use. Empty: search GRAFT_CUDA_PATH, CUDA_HOME, and so on. The search skips a toolkit whose
  // libraries cannot be loaded; a toolkit that is named here or in GRAFT_CUDA_PATH is used or is an error.
  std::filesystem::path cuda_path = {};
  // The C++ compiler for the host route: a path, or a name to look for in PATH. Empty: GRAFT_CXX, CXX, c++, g++,
  // clang++. These variables hold an absolute path, or words quoted as in a shell ("ccache g++").
  std::filesystem::path host_compiler = {};
  // The program `graft` that compiles in the closed mode (Options::closed); it must come from the same build as this
  // library. Empty: GRAFT_PROGRAM (an absolute path), else `graft` in the library's folder or in ../bin from there.
  // With a static library, the executable's folder takes the place of the library's.
  std::filesystem::path program = {};
  CacheOptions cache = {};
  unsigned threads = 0;  // most worker threads for create_async; 0: the machine's number of hardware threads
};

// Counts since the engine was made; they only grow.
struct Counters {
  std::uint64_t creates = 0;      // requests for a kernel: by create, by build, and by prepare for a new architecture
  std::uint64_t memory_hits = 0;  // found among the kernels in memory
  std::uint64_t layer_hits = 0;   // found in a read-only layer
  std::uint64_t disk_hits = 0;    // found in the user's own folder
  std::uint64_t misses = 0;       // found nowhere, or not searched for (CachePolicy::Off; on disk, the host route)
  std::uint64_t builds = 0;       // kernels compiled and linked
  std::uint64_t failed_builds = 0;
  std::uint64_t waits = 0;             // calls that waited for another thread's build of the same kernel
  std::uint64_t process_waits = 0;     // calls that waited for another process's build of the same kernel
  std::uint64_t loads = 0;             // attempts to load a kernel into the driver or, for the host route, this process
  std::uint64_t rejected_entries = 0;  // cache entries not used: damaged, unfit, or refused by the driver
  std::uint64_t bytes_read = 0;        // of cache entries that were found
  std::uint64_t bytes_written = 0;     // of cache entries that were stored
};

// Thread-safe. The destructor waits for jobs of create_async and unloads no kernel, because launches may still be
// queued: kernels stay loaded until the process ends or release_unused() is called. Transforms may outlive their
// engine. They still run, and prepare works for devices of an architecture for which they already have a kernel; for
// another architecture it throws InvalidArgument.
//
// After fork, engines, including Engine::shared(), work in the child: the child has the kernels that its parent had
// built, can build more, starts its own threads for create_async, and can destroy the engine. Exceptions:
//
// - Unfinished jobs of create_async continue in the parent only. In the child their futures never become ready, and
//   ~Engine does not wait for them. Call create_async again in the child.
// - If a thread of the parent was inside a graft function (create, build, prepare, a job of create_async) during fork,
//   a lock of graft, NVRTC, nvJitLink or the dynamic loader may stay locked in the child, which can then hang. Fork
//   when no such call is running, or only call exec in the child. Idle threads of create_async do no harm.
// - CUDA itself does not work after fork: see transform.hpp.
class GRAFT_API Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The engine of this process. It is made on first use, and reads the environment once, at that time.
  static Engine& shared();

  Counters counters() const;

  // Frees unused memory: kernels and requests to which no Transform refers, and images (bytes, source text, logs) to
  // which neither a Transform nor an Image refers. Without this call an engine grows with each different request. A
  // kernel that is requested again is then read from disk or built again.
  //
  // The caller must make sure that no launch of an unused kernel is queued or captured in a graph. Returns the number
  // of kernels that were unloaded.
  std::size_t release_unused();

  // Opens NVRTC and nvJitLink now, so that the first create does not spend time on it. Throws Error(ToolMissing).
  void preload();

  // Text for people: which toolkit, driver and host compiler were found, where, and why these.
  std::string describe_tools() const;

  class Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace graft
