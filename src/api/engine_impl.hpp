// What an Engine owns: tools, caches in memory and on disk, kernels loaded into the driver, threads, counters.
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

#include "api/kernel_cache.hpp"
#include "base/single_flight.hpp"
#include "base/thread_pool.hpp"
#include "build/closed_build.hpp"
#include "build/toolbox.hpp"
#include "core/image_data.hpp"
#include "graft/callback.hpp"
#include "graft/engine.hpp"
#include "graft/options.hpp"
#include "graft/transform.hpp"

namespace graft::launch {
class Kernel;
}

namespace graft {

using Milliseconds = std::chrono::duration<double, std::milli>;

// What create is asked for, before anything is known of devices: made for every request, so it is made quickly. It has
// the working folder where the request could include something from there.
class TransformKey {
 public:
  TransformKey(const Callback& callback, const Options& options);

  bool operator==(const TransformKey& other) const noexcept {
    return hash_ == other.hash_ && options_ == other.options_ && callback_ == other.callback_;
  }
  struct Hash {
    std::size_t operator()(const TransformKey& key) const noexcept { return key.hash_; }
  };

 private:
  Callback callback_;
  std::string options_;  // empty for default options of a callback that includes nothing
  std::size_t hash_;
};

class Engine::Impl {
 public:
  // What is inside of an engine.
  static const std::shared_ptr<Impl>& of(Engine& engine) noexcept { return engine.impl_; }

  explicit Impl(EngineOptions options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // A transform made before; null when there is none.
  std::shared_ptr<Transform::Impl> find_transform(const TransformKey& key) const;
  // From now on the answer to this key, in place of `before` (null: there was none). Gives back the one that is kept:
  // another one where another thread was first.
  std::shared_ptr<Transform::Impl> keep_transform(const TransformKey& key, std::shared_ptr<Transform::Impl> transform,
                                                  const std::shared_ptr<Transform::Impl>& before);
  // From now on others who ask for the same make their own.
  void forget_transform(const Transform::Impl* transform);
  void count_memory_hit() noexcept;

  // The image for this request: made before, being made by another thread (waits), on disk, or built now. One that
  // is_for_one_call was built for this call, and no other gets it. Throws Error.
  std::shared_ptr<const Image::Data> find_or_build(const Request& request);
  // A callback's bytes for later. Nothing of it is kept. Throws Error.
  std::vector<std::byte> precompile(const Callback& callback, const std::vector<Architecture>& architectures,
                                    PrecompileFormat format, const Options& options) const;

  // The kernel of an image, loaded into the driver (or, for a host image, into the process) once. Adds to `time` what
  // that took. Throws Error.
  std::shared_ptr<launch::Kernel> find_or_load(const std::shared_ptr<const Image::Data>& image, Milliseconds& time);

  // Both. An image from disk that the driver refuses is built anew, once, and its entry stays: it may be good on
  // another machine that shares the folder.
  std::shared_ptr<launch::Kernel> find_kernel(const Request& request, Milliseconds& load_time);

  void run(const std::function<void()>& job) { pool_.run(job); }
  void finish_jobs() { pool_.finish(); }

  const KernelCache& cache() const noexcept { return cache_; }
  Counters counters() const { return counters_.read(); }
  std::size_t release_unused();
  void preload();
  std::string describe_tools() const;

 private:
  using ImagePointer = std::shared_ptr<const Image::Data>;
  using KernelPointer = std::shared_ptr<launch::Kernel>;

  Image::Data build(const Request& request) const;
  template <class Make>
  std::pair<ImagePointer, base::Found> find_or_make_image(const Request& request, Make make);
  ImagePointer build_in_place_of(const ImagePointer& refused, const Request& request, const std::string& why);

  LiveCounters counters_;
  building::ClosedBuilds closed_builds_;
  building::Toolbox tools_;
  KernelCache cache_;
  base::SingleFlight<std::string, ImagePointer, Error> images_;
  base::SingleFlight<const Image::Data*, KernelPointer, Error> kernels_;
  mutable std::shared_mutex transforms_mutex_;
  std::unordered_map<TransformKey, std::shared_ptr<Transform::Impl>, TransformKey::Hash> transforms_;
  base::ThreadPool pool_;
};

}  // namespace graft
