// What transforms share: the toolkit, the kernels made and loaded, and counters.
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

// Where an engine may look for a kernel, and what it may do when there is none.
enum class CachePolicy : std::uint8_t {
  Off,              // nowhere: every request is built
  MemoryOnly,       // among the kernels that this engine made
  ReadOnly,         // there and on disk, where nothing is ever changed
  ReadWrite,        // there and on disk, where what was built is kept
  ForbidCompiling,  // as ReadOnly; and a request that is not found fails with CompilingForbidden
};

// A kernel is looked for in memory, then in the read-only layers, then in the user's own folder, and then built.
// Whatever happens to files and folders, a request gets its kernel; the report's notes have one line when something
// went wrong.
//
// In memory, headers are not read again: an engine that lives on does not see that a header on disk has changed. It
// does tell working folders apart, where a callback has an #include.
//
// A disk hit has read all headers, with graft's own scan, and runs no tool: every file that an #include could mean
// counts by its content, as the system resolves its path. The headers of a toolkit count by which toolkit they are of,
// and a name that is found nowhere by the name. Requests whose meaning such a scan cannot tell (a computed #include,
// __has_include, __FILE__, __DATE__, a header that is a FIFO, cannot be read or has more than 64 MiB, ...), and those
// of the host route, stay in memory; the report's notes say why. A FIFO, or a file of more than 1 GiB, that compilers
// would take for a header is an error: they would wait for its end.
//
// A header that is edited while a kernel is built, or was edited in the 20 ms before, may be in the kernel with its old
// text or its new one. Such a kernel is for the call alone that it was built for: it is kept neither on disk nor in
// memory, other threads that wait for the same kernel build their own, and the report has a note that names the file.
// (The change times of files tell. So the clock of a file server should agree with this machine's.)
struct CacheOptions {
  // Unset: GRAFT_CACHE (off, memory, read-only, read-write, forbid-compiling), else ReadWrite.
  std::optional<CachePolicy> policy = {};
  // The user's own. Empty: GRAFT_CACHE_DIR, else $XDG_CACHE_HOME/graft, else ~/.cache/graft. It is private: one that
  // belongs to or can be written by others is not used, nor is a symbolic link. The same holds for each entry in it.
  std::filesystem::path folder = {};
  // Read-only, the first one first; they and their entries are this user's or root's. Unset: GRAFT_CACHE_PATH (a:b).
  std::optional<std::vector<std::filesystem::path>> layers = {};
  // Of the user's own folder; beyond it the least recently used entries go. 0: GRAFT_CACHE_MAX_BYTES (with k, M or G),
  // else 1 GiB.
  std::uint64_t max_bytes = 0;
  // Entries are good whatever tools are installed later; one that was made by a route of second choice, for want of
  // tools, while the tools are what they were. With this, other tools make other kernels.
  bool exact_tools = false;
  // How long to wait while another process builds the same kernel.
  std::chrono::milliseconds lock_wait{30'000};
};

// Relative paths, those of `cache` too, are taken from the working folder in which the engine is made. Relative paths
// of the environment are left out: nothing is loaded or run from the working folder that the application did not name.
struct EngineOptions {
  // The toolkit to use; empty: search (GRAFT_CUDA_PATH, CUDA_HOME, ...). Of the toolkits that the search finds, one
  // with a library that cannot be loaded is passed over; one that is named here or in GRAFT_CUDA_PATH is final.
  std::filesystem::path cuda_path = {};
  // For the host route: a path, or a name to be found in PATH. Empty: GRAFT_CXX, CXX, c++, g++, clang++. The variables
  // hold an absolute path or words quoted as in a shell ("ccache g++").
  std::filesystem::path host_compiler = {};
  // For the closed mode (Options::closed): the program `graft` of the same build as this library. Empty: GRAFT_PROGRAM
  // (an absolute path), else `graft` beside the library or in ../bin from there; beside the executable where the
  // library is linked statically.
  std::filesystem::path program = {};
  CacheOptions cache = {};
  unsigned threads = 0;  // for create_async, at most; 0: as many as the machine runs at a time
};

// Monotonic since the engine was made.
struct Counters {
  std::uint64_t creates = 0;      // kernels asked for: by create and build, and by prepare for another architecture
  std::uint64_t memory_hits = 0;  // answered by a kernel made before
  std::uint64_t layer_hits = 0;   // found in a read-only layer
  std::uint64_t disk_hits = 0;    // found in the user's own folder
  std::uint64_t misses = 0;       // found nowhere, or not looked for: CachePolicy::Off, and on disk the host route
  std::uint64_t builds = 0;       // compiled and linked
  std::uint64_t failed_builds = 0;
  std::uint64_t waits = 0;          // calls that waited for another thread's build of the same kernel
  std::uint64_t process_waits = 0;  // the same for another process's
  std::uint64_t loads = 0;          // kernels given to the driver, or to the process; those that it refused too
  std::uint64_t rejected_entries =
      0;                         // on disk under the right name, and not used: damaged, unfit, or refused by the driver
  std::uint64_t bytes_read = 0;  // of entries found
  std::uint64_t bytes_written = 0;  // of entries kept
};

// Thread-safe. Its destructor waits for what create_async has begun, and unloads nothing: kernels whose launches may be
// queued stay loaded until the process ends or release_unused() is called. Transforms outlive it: they run, and can be
// prepared for devices of an architecture that they have a kernel for; for another one prepare throws InvalidArgument.
//
// In a child of fork an engine works on, also Engine::shared(): it has what its parent had made, builds, starts threads
// of its own for create_async, and can be destroyed. What the parent's threads were doing is theirs:
//
// - Jobs of create_async that had not ended run in the parent alone. In the child their futures never become ready, and
//   ~Engine does not wait for them; ask again there.
// - Where a thread of the parent was inside a function of graft (create, build, prepare, a job of create_async), the
//   child may find a lock of graft, NVRTC, nvJitLink or the loader held for ever, and hang. So fork when none is, or
//   let the child do no more than exec. Threads of create_async that have nothing to do are no obstacle.
// - CUDA itself does not survive fork: see transform.hpp.
class GRAFT_API Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The process's own, made at first use and set up from the environment once.
  static Engine& shared();

  Counters counters() const;

  // Frees what the engine keeps in memory and nobody uses: kernels and requests that no Transform refers to, and images
  // (bytes, source text, logs) that no Transform or Image refers to. An engine that lives long grows with each
  // different request until this is called. What is asked for again is found on disk, or built again.
  //
  // The caller makes sure that no launch of an unused kernel is queued or captured in a graph. Returns how many kernels
  // were unloaded.
  std::size_t release_unused();

  // Opens the compiler and the linker now, so that the first create need not. Throws Error(ToolMissing).
  void preload();

  // Which toolkit, driver and host compiler were found, where and why; for people.
  std::string describe_tools() const;

  class Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace graft
