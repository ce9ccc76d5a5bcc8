#include "graft/engine.hpp"

#include <fmt/format.h>

#include "api/engine_impl.hpp"
#include "base/environment.hpp"
#include "base/single_flight.hpp"
#include "build/builder.hpp"
#include "graft/error.hpp"
#include "launch/kernel.hpp"
#include "plan/key.hpp"
#include "toolchain/driver.hpp"

namespace graft {
namespace {

int driver_major() {
  std::string why;
  const toolchain::Driver* driver = toolchain::Driver::find(why);
  return driver == nullptr ? 0 : driver->version().major;
}

using ImagePointer = std::shared_ptr<const Image::Data>;
using KernelPointer = std::shared_ptr<launch::Kernel>;

}  // namespace

struct Engine::Impl::State {
  explicit State(EngineOptions options)
      : tools(std::move(options.cuda_path), std::move(options.host_compiler), driver_major()) {}

  building::Toolbox tools;
  base::SingleFlight<std::string, ImagePointer, Error> images;
  base::SingleFlight<const Image::Data*, KernelPointer, Error> kernels;

  std::atomic<std::uint64_t> creates{0};
  std::atomic<std::uint64_t> memory_hits{0};
  std::atomic<std::uint64_t> builds{0};
  std::atomic<std::uint64_t> failed_builds{0};
  std::atomic<std::uint64_t> waits{0};
  std::atomic<std::uint64_t> loads{0};
};

Engine::Impl::Impl(EngineOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Engine::Impl::~Impl() = default;

ImagePointer Engine::Impl::find_or_build(const Callback& callback, std::optional<Architecture> architecture,
                                         const Options& options) {
  ++state_->creates;
  const std::optional<Architecture> target = options.architecture ? options.architecture : architecture;
  const bool on_host = options.routes.required == Route::Host;
  const std::string key = plan::request_key(callback, on_host ? std::nullopt : target, options);
  auto [image, found] = state_->images.find_or_make(key, [&] {
    try {
      ++state_->builds;
      return ImagePointer(
          std::make_shared<Image::Data>(building::build_image(callback, target, options, state_->tools)));
    } catch (...) {
      ++state_->failed_builds;
      throw;
    }
  });
  if (found == base::Found::Ready) ++state_->memory_hits;
  if (found == base::Found::Waited) ++state_->waits;
  return image;
}

KernelPointer Engine::Impl::find_or_load(const ImagePointer& image) {
  return state_->kernels
      .find_or_make(image.get(),
                    [&] {
                      ++state_->loads;
                      return launch::Kernel::load(image);
                    })
      .first;
}

Counters Engine::Impl::counters() const {
  return {.creates = state_->creates,
          .memory_hits = state_->memory_hits,
          .builds = state_->builds,
          .failed_builds = state_->failed_builds,
          .waits = state_->waits,
          .loads = state_->loads};
}

std::size_t Engine::Impl::release_unused() {
  // The map's own reference is the only one left of a kernel that no Transform refers to.
  const std::vector<KernelPointer> unused =
      state_->kernels.remove_if([](const KernelPointer& kernel) { return kernel.use_count() == 1; });
  for (const KernelPointer& kernel : unused) kernel->unload();
  return unused.size();
}

void Engine::Impl::preload() {
  std::string why;
  if (state_->tools.toolkit().nvrtc(why) == nullptr || state_->tools.toolkit().nvjitlink(why) == nullptr)
    throw Error(ErrorCode::ToolMissing, {.message = why,
                                         .remedy = "Install the CUDA toolkit, or set GRAFT_CUDA_PATH to where it is.",
                                         .log = {},
                                         .versions = {}});
}

std::string Engine::Impl::describe_tools() const {
  std::string text = state_->tools.toolkit().describe();
  std::string why;
  const toolchain::Driver* driver = toolchain::Driver::find(why);
  text += driver == nullptr ? fmt::format("driver: none ({})\n", why)
                            : fmt::format("driver: {}, for CUDA {}\n", driver->path(), driver->version().text());
  const auto compiler = state_->tools.host_compiler(why);
  text += compiler ? fmt::format("host compiler: {} ({})\n", compiler->path().string(), compiler->version())
                   : fmt::format("host compiler: none ({})\n", why);
  return text;
}

Engine::Engine(EngineOptions options) : impl_(std::make_shared<Impl>(std::move(options))) {}
Engine::~Engine() = default;

Engine& Engine::shared() {
  // Never destroyed: kernels may still run when the process's static objects go.
  static Engine* const engine = new Engine();
  return *engine;
}

Counters Engine::counters() const {
  return impl_->counters();
}
std::size_t Engine::release_unused() {
  return impl_->release_unused();
}
void Engine::preload() {
  impl_->preload();
}
std::string Engine::describe_tools() const {
  return impl_->describe_tools();
}

}  // namespace graft
