// A built kernel as bytes, made without a GPU. Transform::create builds the same and loads it.
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

// A value; cheap to copy, thread-safe to read.
class GRAFT_API Image {
 public:
  // No move operations: a move is a copy, so that an image that was moved from stays what it was.
  Image(const Image&) = default;
  Image& operator=(const Image&) = default;

  // A cubin; for the host route a shared object.
  std::span<const std::byte> bytes() const noexcept;
  const Report& report() const noexcept;
  const Signature& signature() const noexcept;

  struct Data;

 private:
  explicit Image(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

// Builds the kernel of a callback for one architecture, on any machine with a toolkit. Equal requests to one engine are
// built once, unless its policy is CachePolicy::Off or a header changed while it was built. Thread-safe. Throws Error.
GRAFT_API Image build(const Callback& callback, Architecture architecture, const Options& options = {});
GRAFT_API Image build(Engine& engine, const Callback& callback, Architecture architecture, const Options& options = {});

}  // namespace graft
