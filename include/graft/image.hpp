// A built kernel as bytes, made without a GPU. Transform::create builds the same and loads it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

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
  struct Data {
    std::vector<std::byte> bytes;
    Report report;
    bool is_for_one_call = false;  // a header changed meanwhile: no other request may get it
  };
  // Throws Error(InvalidArgument) for a null pointer.
  explicit Image(std::shared_ptr<const Data> data);

  // No move operations: a move is a copy, so that an image that was moved from stays what it was.
  Image(const Image&) = default;
  Image& operator=(const Image&) = default;

  // A cubin; for the host route a shared object.
  std::span<const std::byte> bytes() const noexcept { return data_->bytes; }
  const Report& report() const noexcept { return data_->report; }
  const Signature& signature() const noexcept { return data_->report.signature; }

  // What it shares with its copies.
  const std::shared_ptr<const Data>& data() const noexcept { return data_; }

 private:
  std::shared_ptr<const Data> data_;
};

// Builds the kernel of a callback for one architecture, on any machine with a toolkit. Equal requests to one engine are
// built once. Thread-safe. Throws Error.
GRAFT_API Image build(const Callback& callback, Architecture architecture, const Options& options = {});
GRAFT_API Image build(Engine& engine, const Callback& callback, Architecture architecture, const Options& options = {});

}  // namespace graft
