// An Engine holds what transforms share: the CUDA toolkit in use, the kernels built and loaded so far, the disk cache,
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
#include <graft/log.hpp>

namespace graft {

// Where an engine may look for a kernel, and whether it may build one.
enum class CachePolicy : std::uint8_t {
  Off,              // searches no cache: every request builds its kernel
  MemoryOnly,       // searches only the kernels that this engine has in memory
  ReadOnly,         // searches memory and disk; never changes a file
  ReadWrite,        // searches memory and disk; stores newly built kernels on disk
  ForbidCompiling,  // as ReadOnly, but throws Error(CompilingForbidden) if the kernel is found nowhere
};

// How the cache works. A request for a kernel searches memory, then the read-only layers, then the user's own folder.
// If the kernel is found nowhere, graft builds it. A problem with a cache file never makes a request fail: graft builds
// the kernel, and the report's notes say what went wrong.
//
// Kernels in memory. graft does not read the headers again for a kernel that it has in memory, so an engine does not
// notice when a header on disk changes. A callback that contains an #include has one kernel for each working folder,
// because the #include may mean another file there.
//
// Kernels on disk. Finding a kernel on disk runs no compiler. graft itself scans for #include lines and hashes the
// content of every file that each #include could name; paths are resolved as the operating system resolves them. A
// toolkit's own headers are identified by the toolkit. A header that is found nowhere is identified by its name. The
// scan cannot establish the meaning of some requests, for instance with a computed #include, __has_include, __FILE__,
// __DATE__, or a header that is a FIFO, is unreadable or exceeds 64 MiB. Those requests, and requests of the host
// route, are cached in memory only, and the report's notes say why. If a FIFO or a file above 1 GiB is at a path where
// a compiler would look for a header, the request fails with an Error, because the compiler would wait for the end of
// that file.
//
// A kernel is compiled from the headers as they were when graft scanned them, also if a header is edited during the
// build. If the host's compiler has to open the headers itself, or if graft cannot scan them, the kernel is built again
// when a header was edited during the build; after three builds, the request fails with Error(FileUnreadable).
struct CacheOptions {
  // If unset, the environment variable GRAFT_CACHE decides (off, memory, read-only, read-write, forbid-compiling). If
  // that variable is unset too, the policy is ReadWrite.
  std::optional<CachePolicy> policy = {};
  // The user's own folder. If empty: the folder in GRAFT_CACHE_DIR, else $XDG_CACHE_HOME/graft, else ~/.cache/graft. A
  // folder is not used if it belongs to another user, if others can write to it, or if it is a symbolic link. The same
  // rule applies to each cache entry in the folder.
  std::filesystem::path folder = {};
  // Read-only folders, searched in this order. They and their cache entries must belong to this user or to root. If
  // unset: the folders in GRAFT_CACHE_PATH, separated by colons.
  std::optional<std::vector<std::filesystem::path>> layers = {};
  // Size limit of the user's own folder in bytes; above it, the least recently used cache entries are deleted. If 0:
  // the number in GRAFT_CACHE_MAX_BYTES (a suffix k, M or G is allowed), else 1 GiB.
  std::uint64_t max_bytes = 0;
  // If false, a cache entry stays valid when other tools are installed. (An entry whose route was chosen only because a
  // tool was missing or unsuitable becomes invalid when those tools change.) If true, the tools' versions are part of
  // the cache key.
  bool exact_tools = false;
  // How long to wait while another process builds the same kernel. When this time is over, this process builds the
  // kernel too.
  std::chrono::milliseconds lock_wait{30'000};
};

// Relative paths in EngineOptions, also those in `cache`, are resolved against the working folder at the time when the
// engine is made. Relative paths in environment variables are ignored, so that nothing is loaded or run from a working
// folder that the application did not name.
struct EngineOptions {
  // The CUDA toolkit to use. If empty, graft searches GRAFT_CUDA_PATH, CUDA_HOME, and so on. The search skips a toolkit
  // whose libraries cannot be loaded. If `cuda_path` or GRAFT_CUDA_PATH names a toolkit, graft uses this toolkit or
  // throws an Error, and searches for no other.
  std::filesystem::path cuda_path = {};
  // The C++ compiler for the host route: a path, or a name to look for in PATH. If empty: GRAFT_CXX, CXX, c++, g++,
  // clang++. GRAFT_CXX and CXX hold an absolute path, or words quoted as in a shell ("ccache g++").
  std::filesystem::path host_compiler = {};
  // The program `graft` for the closed mode (Options::closed), of the same build as this library. If empty:
  // GRAFT_PROGRAM (an absolute path), else `graft` in the folder of the library (or static executable), or in ../bin
  // from a folder lib, lib64 or bin, if no untrusted user may write it (docs/security.md, sentence 27).
  std::filesystem::path program = {};
  CacheOptions cache = {};
  // A file that `graft tune` wrote: the tuning that it measured on one GPU. Kernels for this GPU (its name and memory
  // clock) take their tuning from the file, and so do those that graft::build makes for its architecture. The file may
  // belong to anyone, because it is named here; if it cannot be used, requests throw Error(FileUnreadable). If empty:
  // kernels for a device take the file that `graft tune` left in the cache's folder or in a layer, if the device has
  // one, by the rules for entries; one that cannot be used is told to `log`, and graft's own rules are used. Engines
  // with CachePolicy::Off, MemoryOnly or ForbidCompiling look for none. An engine reads a file once.
  // Options::shipped_tuning leaves all of them out. Results of transforms do not depend on the file; an FFT whose plan
  // is in it may differ in rounding.
  std::filesystem::path tuning_file = {};
  unsigned threads = 0;  // largest number of worker threads for create_async; 0 means the number of hardware threads
  // The largest number of kernels that are built at the same time, by create, create_async, build, precompile and
  // prepare of all threads together; 0 means no limit. A build takes one processor core, two for a few milliseconds,
  // and some 100 MiB while it runs, in this process or, in the closed mode, in a child (Closed::memory bounds it).
  // Further requests wait; kernels that are found in a cache do not.
  unsigned max_builds = 0;
  // The most bytes of images that the engine keeps only in order to find them again: images that no Image, no Transform
  // and no loaded kernel uses, for example after graft::build. When a request makes it more, some of them are dropped,
  // in no particular order, and are read from disk or built again if they are requested again. 0 means no limit. Loaded
  // kernels do not count: an engine cannot know whether launches of them are queued. release_unused() frees them.
  std::uint64_t max_unused_image_bytes = 0;
  // Told what the engine does: cache hits, builds and their times, tools, problems of the cache (log.hpp). `execute`
  // tells nothing. If empty, nothing is told, which costs nothing.
  Log log = {};
};

// Counts of events since the engine was made. The counts never decrease.
struct Counters {
  std::uint64_t creates = 0;        // requests for a kernel: by create, by build, and by prepare for a new architecture
  std::uint64_t memory_hits = 0;    // requests whose kernel was found in memory
  std::uint64_t layer_hits = 0;     // requests whose kernel was found in a read-only layer
  std::uint64_t disk_hits = 0;      // requests whose kernel was found in the user's own folder
  std::uint64_t misses = 0;         // requests whose kernel was found nowhere, and all requests with CachePolicy::Off
  std::uint64_t builds = 0;         // kernels that were compiled and linked, without the failed builds
  std::uint64_t failed_builds = 0;  // builds that ended with an error
  std::uint64_t waits = 0;          // calls that waited for another thread's build of the same kernel
  std::uint64_t process_waits = 0;  // calls that waited for another process's build of the same kernel
  std::uint64_t loads = 0;          // attempts to load a kernel, into the driver or (host route) this process
  std::uint64_t rejected_entries = 0;  // cache entries that graft or the driver refused, for instance damaged ones
  std::uint64_t bytes_read = 0;        // size in bytes of the cache entries that were found
  std::uint64_t bytes_written = 0;     // size in bytes of the cache entries that were stored
};

// An Engine is thread-safe. The destructor waits for jobs of create_async and unloads no kernel, because launches may
// still be queued: kernels stay loaded until the process ends or release_unused() is called. Transforms may outlive
// their engine. Such transforms still run, and their function prepare works for devices of an architecture for which
// they already have a kernel. For another architecture, prepare throws InvalidArgument.
//
// After fork, engines, including Engine::shared(), work in the child: the child has the kernels that its parent had
// built, can build more, starts its own threads for create_async, and can destroy the engine. There are three
// exceptions:
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

  // Returns the engine of this process. The first call makes this engine and reads the environment, once.
  static Engine& shared();

  Counters counters() const;

  // Frees unused memory: kernels to which no Transform refers, the requests for these kernels (which the engine keeps
  // in order to find a kernel that is requested again), and images (bytes, source text, logs) to
  // which neither a Transform nor an Image refers. Also frees the workspaces of FFTs that only destroyed graphs had
  // kept. Without this call an engine uses more memory with each different request. A kernel that is requested again is
  // then read from disk or built again.
  //
  // The caller must make sure that no launch of an unused kernel is queued or captured in a graph. Returns the number
  // of kernels that were unloaded.
  std::size_t release_unused();

  // Opens NVRTC and nvJitLink now, so that the first create does not spend time on opening them. Throws
  // Error(ToolMissing).
  void preload();

  // Returns text for people: which toolkit, driver and host compiler were found, where, and why graft chose them.
  std::string describe_tools() const;

  class Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace graft
