// What an Engine owns: tools, images made in this process, kernels loaded into the driver, counters.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "graft/callback.hpp"
#include "graft/engine.hpp"
#include "graft/image.hpp"
#include "graft/options.hpp"

namespace graft::launch {
class Kernel;
}

namespace graft {

class Engine::Impl {
 public:
  explicit Impl(EngineOptions options);
  ~Impl();

  // The image for this request: made before, being made by another thread (waits), or built now. Without an
  // architecture the route must be Host. Throws Error.
  std::shared_ptr<const Image::Data> find_or_build(const Callback& callback, std::optional<Architecture> architecture,
                                                   const Options& options);

  // The kernel of an image, loaded into the driver (or, for a host image, into the process) once. Throws Error.
  std::shared_ptr<launch::Kernel> find_or_load(const std::shared_ptr<const Image::Data>& image);

  Counters counters() const;
  std::size_t release_unused();
  void preload();
  std::string describe_tools() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graft
