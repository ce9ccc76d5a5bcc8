// KernelCache gets a request's image from the cache on disk, or builds the image and stores it there. Engine::Impl
// calls KernelCache when the image is not in memory. The format and the folders on disk are described in
// store/store.hpp.
//
// The cache key of an image contains the user's headers, and NVRTC gets the headers from memory, as they were when they
// were scanned for the key. Other compilers open the headers themselves, and so does NVRTC if the scan cannot tell what
// is compiled. Such an image is kept in memory only, and is built again if a header changed during the build.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "compile/toolbox.hpp"
#include "core/image_data.hpp"
#include "core/step.hpp"
#include "engine/cache_settings.hpp"
#include "engine/logger.hpp"
#include "format/tuning_file.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "own_kernels/code_cache.hpp"
#include "plan/key.hpp"
#include "store/store.hpp"

namespace graft::engine {

// The counters from which graft::Counters is filled (graft/engine.hpp says what each one counts). They are atomic,
// because many threads count at the same time.
struct LiveCounters {
  std::atomic<std::uint64_t> creates{0};
  std::atomic<std::uint64_t> memory_hits{0};
  std::atomic<std::uint64_t> layer_hits{0};
  std::atomic<std::uint64_t> disk_hits{0};
  std::atomic<std::uint64_t> misses{0};
  std::atomic<std::uint64_t> builds{0};
  std::atomic<std::uint64_t> failed_builds{0};
  std::atomic<std::uint64_t> waits{0};
  std::atomic<std::uint64_t> process_waits{0};
  std::atomic<std::uint64_t> loads{0};
  std::atomic<std::uint64_t> rejected_entries{0};
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};

  Counters read() const;
};

// A request for one kernel. If `architecture` is empty, the options must require Route::Host.
struct Request {
  const Step& step;
  std::optional<Architecture> architecture;
  const Options& options;
  // What was measured on the GPU for which the kernel is made. Null: graft's own rules choose the tuning.
  const format::TuningFile* tuning = nullptr;
};

// The functions of a KernelCache are thread-safe.
class KernelCache : public own_kernels::CodeStore {
 public:
  KernelCache(CacheSettings settings, const compile::Toolbox& tools, LiveCounters& counters, const Logger& logger);
  // Waits for the kernels that are being stored.
  ~KernelCache() override;
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  // Builds the request's image. `scan` has the headers for NVRTC; if it is null, the compiler opens them itself.
  using Build = std::function<Image::Data(const plan::HeaderScan* scan)>;

  // Reads the image from disk, or builds and stores it. The image's report says whether the image came from the cache,
  // and lists problems with the cache. Throws Error(CompilingForbidden) and Error(FileUnreadable), and what `build`
  // throws.
  std::shared_ptr<const Image::Data> find_or_build(const Request& request, const Build& build);

  // Builds the image, and neither reads nor writes the cache on disk. find_or_build calls it for images that must not
  // be stored. Engine::Impl calls it when the driver refuses the image of a cache entry; the entry stays on disk,
  // because other processes may be able to use it. `why` says why the cache is not used. If `why` is not empty, it
  // becomes a note in the report. Throws what find_or_build throws.
  std::shared_ptr<const Image::Data> build_anew(const Request& request, const Build& build, const std::string& why);

  // The code of own kernels on disk. Problems with the disk are no errors: the code is then compiled.
  std::optional<own_kernels::ReadCode> find_code(const own_kernels::CodeRequest& request) override;
  void keep_code(const own_kernels::CodeRequest& request, const own_kernels::ReadCode& code) override;

  // Throws Error(FileUnreadable) if the request includes a file that never ends, for example a FIFO, because the
  // compiler would hang in it.
  void check_headers(const Callback& callback, const Options& options) const;

  // Computes the request's key for the cache on disk.
  plan::DiskKey key_of(const Request& request) const;

  const CacheSettings& settings() const noexcept { return settings_; }

  // Waits until all kernels that were built so far are stored.
  static void finish_writing();

 private:
  // Returns the key of a code, or nothing if the code is not kept on disk.
  std::optional<plan::DiskKey> key_of_code(const own_kernels::CodeRequest& request) const;
  bool is_for_disk(const Request& request) const;
  plan::HeaderWorld header_world() const;
  plan::HeaderScan scan(const Request& request) const;
  // Builds from the headers of the scan.
  Image::Data build_from(const plan::HeaderScan& scan, const Request& request, const Build& build);
  // Builds with a compiler that opens the headers itself. `before` is a scan before the build.
  Image::Data build_from_files(plan::HeaderScan before, const Request& request, const Build& build);
  // Reads the entry of `key` from disk. Returns null if no entry can be used.
  //
  // Another build of graft may have made the entry. If that build's recipe (what graft itself adds to a request, such
  // as generated text, flags and building blocks; routes/recipe.hpp) differs from this build's, or if this build cannot
  // read the entry, `find` appends this build's recipe to `key` and searches once more. keep() then stores the kernel
  // under the longer key, so that the two builds have separate entries.
  std::shared_ptr<const Image::Data> find(const Request& request, plan::DiskKey& key, std::string& problem);
  // Throws Error(CompilingForbidden) if CacheSettings::policy forbids compiling. Call it when no cache has the image.
  // `why`, if it is not empty, is part of the message.
  void require_building(const Request& request, const std::string& why);
  // Calls `build`, counts it and tells the log about it.
  Image::Data count_build(const Request& request, const std::function<Image::Data()>& build);
  void tell_tools(const Report& report);
  void tell_problem(const std::string& callback, const std::string& problem) const;
  // Stores the image, with `lock` held. If the image must be examined first, another thread examines and stores it, and
  // a problem that is found only then reaches the log and not `problem`.
  void keep(const Request& request, const plan::DiskKey& key, const Image::Data& image, store::KeyLock lock,
            std::string& problem);
  static void finish_at_exit();
  void publish(const std::string& callback, store::WrittenEntry entry, const std::string& objection);

  const CacheSettings settings_;
  const compile::Toolbox& tools_;
  LiveCounters& counters_;
  const Logger& logger_;
  std::mutex told_mutex_;
  std::set<std::string> told_tools_;  // the tools of which the log was told
  store::Store store_;
};

}  // namespace graft::engine
