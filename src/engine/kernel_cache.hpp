// A request's image from the cache on disk, or built and stored there. Engine::Impl asks this when the image is not in
// memory; the disk format and the folders are those of store/store.hpp.
//
// Every build runs under a watch for headers that change meanwhile (plan/header_watch.hpp), because such an image may
// not be what its key says.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/files.hpp"
#include "compile/toolbox.hpp"
#include "core/image_data.hpp"
#include "engine/cache_settings.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "plan/key.hpp"
#include "store/store.hpp"

namespace graft::engine {

// graft::Counters, which documents each field, as atomics: many threads count.
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

// A request for one kernel. Without an architecture, the required route must be Route::Host.
struct Request {
  const Callback& callback;
  std::optional<Architecture> architecture;
  const Options& options;
};

// Thread-safe.
class KernelCache {
 public:
  KernelCache(CacheSettings settings, const compile::Toolbox& tools, LiveCounters& counters);

  using Build = std::function<Image::Data()>;

  // Reads the image from disk, or builds and stores it. The report says where the image came from and what went wrong
  // with the cache. If a header changed during the build, the image may not match the request's key: it is not stored,
  // and has is_for_one_call set. Throws Error: CompilingForbidden, and what `build` throws.
  std::shared_ptr<const Image::Data> find_or_build(const Request& request, const Build& build);

  // Builds, and neither reads nor writes the cache on disk: the entry that is there may be good for other processes.
  // `why` is a note for the report. Throws as above.
  std::shared_ptr<const Image::Data> build_anew(const Request& request, const Build& build, const std::string& why);

  // Throws Error(FileUnreadable) if a compiler would wait or read for ever in one of the headers (a FIFO, say).
  void check_headers(const Callback& callback, const Options& options) const;

  // The request's key on disk.
  plan::DiskKey key_of(const Request& request) const;

  const CacheSettings& settings() const noexcept { return settings_; }

 private:
  bool is_for_disk(const Request& request) const;
  plan::HeaderWorld header_world() const;
  Image::Data build_watched(const Request& request, const Build& build, const plan::HeaderScan& before);
  // Reads the entry of `key` from disk; null if there is none that can be used. If the entry was made by another build
  // of graft, from another recipe or in a format that this build cannot read, makes `key` specific to this build and
  // looks once more: the entry of the other build stays.
  std::shared_ptr<const Image::Data> find(const Request& request, plan::DiskKey& key, std::string& problem);
  // Throws Error(CompilingForbidden) if this engine may not build. Call it when no cache has the image.
  void require_building(const Request& request, const std::string& why);
  Image::Data count_build(const Build& build);
  void keep(const Request& request, const plan::DiskKey& key, const Image::Data& image, std::string& problem);

  const CacheSettings settings_;
  const std::string temporary_folder_ = base::TemporaryFolder::parent().string();
  const compile::Toolbox& tools_;
  LiveCounters& counters_;
  store::Store store_;
};

}  // namespace graft::engine
