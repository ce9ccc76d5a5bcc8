// Engine::Impl is the implementation of an Engine. It owns the tools, the caches in memory and on disk, the kernels
// that are loaded into the driver, the threads and the counters. Engine's own functions, graft::build,
// graft::precompile and the loaded jobs call it (engine.cpp, image.cpp, precompile.cpp, loaded_job.cpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/single_flight.hpp"
#include "base/thread_pool.hpp"
#include "compile/toolbox.hpp"
#include "core/image_data.hpp"
#include "engine/build_slots.hpp"
#include "engine/closed_build.hpp"
#include "engine/kernel_cache.hpp"
#include "engine/logger.hpp"
#include "engine/tunings.hpp"
#include "graft/callback.hpp"
#include "graft/engine.hpp"
#include "graft/options.hpp"
#include "own_kernels/code_cache.hpp"

namespace graft::launch {
class Kernel;
}

namespace graft {

class LoadedJob;
struct KernelShape;
using Milliseconds = std::chrono::duration<double, std::milli>;

// The key under which an engine keeps the job of a transform in memory. The key contains the callback and the options,
// but no device, because a job can serve several devices. Every Transform::create constructs a key, so the construction
// must be cheap. The key contains the working folder only if the request could #include a file, because the compiler
// looks for a relative #include in the working folder.
class JobKey {
 public:
  JobKey(const Callback& callback, const Options& options);

  bool operator==(const JobKey& other) const noexcept {
    return hash_ == other.hash_ && options_ == other.options_ && callback_ == other.callback_;
  }
  struct Hash {
    std::size_t operator()(const JobKey& key) const noexcept { return key.hash_; }
  };

 private:
  Callback callback_;
  // The options as text. Empty when the options are the defaults and the callback cannot include a file.
  std::string options_;
  std::size_t hash_;
};

class Engine::Impl {
 public:
  // Returns the Impl of an engine.
  static const std::shared_ptr<Impl>& of(Engine& engine) noexcept { return engine.impl_; }

  explicit Impl(EngineOptions options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  using JobPointer = std::shared_ptr<LoadedJob>;

  // Returns the job that the engine keeps for this key, or null.
  JobPointer find_job(const JobKey& key) const;
  // Stores `job` under the key and returns it. `before` is the job that find_job returned to the caller for this key,
  // or null. If the engine now has another job than `before` under the key, another thread has stored that job in the
  // meantime; this function then keeps it, and returns it instead of `job`.
  JobPointer keep_job(const JobKey& key, JobPointer job, const JobPointer& before);
  // Counts a request whose job was found in memory.
  void count_memory_hit(const Callback& callback) noexcept;

  // Returns the image for this request. Takes the image from memory, waits for another thread that is building it,
  // reads it from the cache on disk, or builds it. Throws Error.
  std::shared_ptr<const Image::Data> find_or_build(const engine::Request& request);
  // Compiles a callback ahead of time (graft::precompile). The engine does not keep the result. Throws Error.
  std::vector<std::byte> precompile(const Step& step, const std::vector<Architecture>& architectures,
                                    PrecompileFormat format, const Options& options);

  // Returns the PTX of a kernel, which is built for that (routes::kernel_ptx). Throws Error.
  std::string kernel_ptx(const Step& step, Architecture architecture, const Options& options);

  // Reads the kernels and slots of the code of own kernels. Throws Error.
  KernelShape describe_slots(const Step& step, Architecture architecture, const Options& options) const;

  // Returns the kernel of an image. The first call loads it into the driver or, for a host image, into the process.
  // Adds the duration of the load to `time`. Throws Error.
  std::shared_ptr<launch::Kernel> find_or_load(const std::shared_ptr<const Image::Data>& image, Milliseconds& time);

  // Calls find_or_build and then find_or_load. If the driver refuses an image that came from disk, builds the image
  // once more. The refused cache entry stays on disk, because another machine that shares the folder may be able to use
  // it.
  std::shared_ptr<launch::Kernel> find_kernel(const engine::Request& request, Milliseconds& load_time);

  void run(const std::function<void()>& job) { pool_.run(job); }
  void finish_jobs() {
    pool_.finish();
    engine::KernelCache::finish_writing();
  }

  // Returns the options of a request with what its callback and a measured tuning add to them.
  static Options completed(const engine::Request& asked);

  const engine::KernelCache& cache() const noexcept { return cache_; }
  // What was measured on GPUs. Finding it is thread-safe.
  engine::Tunings& tunings() noexcept { return tunings_; }
  const engine::Logger& logger() const noexcept { return logger_; }
  Counters counters() const {
    engine::KernelCache::finish_writing();
    return counters_.read();
  }
  std::size_t release_unused();
  void preload();
  std::string describe_tools() const;

 private:
  using ImagePointer = std::shared_ptr<const Image::Data>;
  using KernelPointer = std::shared_ptr<launch::Kernel>;

  Image::Data build(const engine::Request& request, const plan::HeaderScan* scan);
  // `options` are as TakenOptions returned them.
  std::vector<std::byte> precompile_checked(const Step& step, const std::vector<Architecture>& architectures,
                                            PrecompileFormat format, const Options& options);
  // Drops images that only the map holds, until they have no more than EngineOptions::max_unused_image_bytes.
  void drop_unused_images();
  template <class Make>
  std::pair<ImagePointer, base::Found> find_or_make_image(const engine::Request& request, Make make);
  ImagePointer build_in_place_of(const ImagePointer& refused, const engine::Request& request, const std::string& why);

  const engine::Logger logger_;
  const std::uint64_t max_unused_image_bytes_;
  engine::BuildSlots slots_;
  engine::LiveCounters counters_;
  engine::ClosedBuilds closed_builds_;
  compile::Toolbox tools_;
  engine::KernelCache cache_;
  engine::Tunings tunings_;
  own_kernels::CodeCache codes_{cache_};
  base::SingleFlight<std::string, ImagePointer, Error> images_;
  base::SingleFlight<const Image::Data*, KernelPointer, Error> kernels_;
  mutable std::shared_mutex jobs_mutex_;
  std::unordered_map<JobKey, JobPointer, JobKey::Hash> jobs_;
  base::ThreadPool pool_;
};

}  // namespace graft
