// An Image holds the bytes of a kernel that is linked for one architecture, and the kernel's report. graft::build makes
// an image on any machine with a toolkit, without a GPU; Transform::create builds the same image and loads it;
// Transform::load loads an image that was built before.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <graft/architecture.hpp>
#include <graft/callback.hpp>
#include <graft/export.hpp>
#include <graft/options.hpp>
#include <graft/report.hpp>

namespace graft {

class Engine;

// An Image is an immutable value, cheap to copy and safe to read from many threads.
class GRAFT_API Image {
 public:
  // Image has no move operations. A move therefore copies, and a moved-from image is unchanged.
  Image(const Image&) = default;
  Image& operator=(const Image&) = default;

  // Returns a cubin, or for the host route a shared object. The bytes stay valid while this image or a copy of it
  // exists.
  std::span<const std::byte> bytes() const noexcept;
  const Report& report() const noexcept;
  const Signature& signature() const noexcept;

  struct Data;

 private:
  explicit Image(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

// Builds the kernel of a callback for one architecture, without using a GPU. Equal requests to one engine are built
// once, unless the engine's policy is CachePolicy::Off. Blocks until the kernel is built. Thread-safe. Throws Error.
GRAFT_API Image build(const Callback& callback, Architecture architecture, const Options& options = {});
GRAFT_API Image build(Engine& engine, const Callback& callback, Architecture architecture, const Options& options = {});

}  // namespace graft
