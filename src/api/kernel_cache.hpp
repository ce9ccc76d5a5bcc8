// Images beyond this process: a request's image from disk, or built and kept there. Here too a build is watched for
// headers that change meanwhile (plan/header_watch.hpp).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/cache_settings.hpp"
#include "base/files.hpp"
#include "build/toolbox.hpp"
#include "core/image_data.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "plan/key.hpp"
#include "store/store.hpp"

namespace graft {

// As graft::Counters, which says what each means. Counted by many threads.
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

// One kernel that is asked for. Without an architecture the route must be Host.
struct Request {
  const Callback& callback;
  std::optional<Architecture> architecture;
  const Options& options;
};

// Thread-safe.
class KernelCache {
 public:
  KernelCache(CacheSettings settings, const building::Toolbox& tools, LiveCounters& counters);

  using Build = std::function<Image::Data()>;

  // From disk, else built and kept. The report says where it came from, and what went wrong on the way. An image that
  // may not be of the headers that the request's key has is not kept, and is_for_one_call. Throws Error:
  // CompilingForbidden, and what `build` throws.
  std::shared_ptr<const Image::Data> find_or_build(const Request& request, const Build& build);

  // Built, and neither looked for nor kept: the entry that is there may be good for others. `why` is a note for the
  // report. Throws as above.
  std::shared_ptr<const Image::Data> build_anew(const Request& request, const Build& build, const std::string& why);

  // Throws Error where a header would be read without end.
  void check_headers(const Callback& callback, const Options& options) const;

  // The key that the request has on disk.
  plan::DiskKey key_of(const Request& request) const;

  const CacheSettings& settings() const noexcept { return settings_; }

 private:
  bool is_for_disk(const Request& request) const;
  plan::HeaderWorld header_world() const;
  Image::Data build_watched(const Request& request, const Build& build, const plan::HeaderScan& before);
  // `key` becomes one of this build's own, where an entry stands that it makes otherwise or cannot read.
  std::shared_ptr<const Image::Data> find(const Request& request, plan::DiskKey& key, std::string& problem);
  // Throws Error(CompilingForbidden) where this engine may not build what was found nowhere.
  void require_building(const Request& request, const std::string& why);
  Image::Data count_build(const Build& build);
  void keep(const Request& request, const plan::DiskKey& key, const Image::Data& image, std::string& problem);

  const CacheSettings settings_;
  const std::string temporary_folder_ = base::TemporaryFolder::parent().string();
  const building::Toolbox& tools_;
  LiveCounters& counters_;
  store::Store store_;
};

}  // namespace graft
