// Transform: one callback, and a kernel for each architecture among the devices that were prepared.
#include "graft/transform.hpp"
#include "base/format.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "api/engine_impl.hpp"
#include "api/taken_options.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "launch/arguments.hpp"
#include "launch/device.hpp"
#include "launch/kernel.hpp"

namespace graft {
namespace {

using launch::Kernel;
using Clock = std::chrono::steady_clock;

}  // namespace

// Kernels are only ever added, at the end, and published by kernel_count_: execute reads them without a lock.
class Transform::Impl {
 public:
  // `callback` is nothing for a transform made of an image, whose one kernel serves every device. The engine keeps its
  // transforms, so they do not keep it.
  Impl(const std::shared_ptr<Engine::Impl>& engine, std::optional<Callback> callback, Options options)
      : engine_(engine), callback_(std::move(callback)), options_(std::move(options)) {}

  void add_image(const std::shared_ptr<const Image::Data>& image) {
    add([&] { return engine()->find_or_load(image, load_time_); });
  }

  // The host route's kernel, which belongs to no device.
  void add_host_kernel() {
    add([&] { return engine()->find_kernel({*callback_, std::nullopt, options_}, load_time_); });
  }

  // Builds and loads for a context's device, unless that is done, and prepares the context, which is current.
  void prepare(const launch::CurrentContext& context) {
    const std::lock_guard lock(mutex_);
    const Architecture architecture = options_.architecture.value_or(context.architecture());
    Kernel* kernel = find(architecture);
    if (kernel == nullptr) {
      kernel = add([&] { return engine()->find_kernel({*callback_, architecture, options_}, load_time_); });
      if (!is_shared()) engine()->forget_transform(this);
    }
    const auto begin = Clock::now();
    kernel->prepare_current();
    load_time_ += Clock::now() - begin;
  }

  // Prepares what the options name. Called once, before the transform is handed out.
  void prepare_chosen() {
    if (options_.devices.empty()) prepare(launch::CurrentContext());
    for (const int device : options_.devices) prepare(launch::CurrentContext(device));
  }

  void write_report() {
    image_.emplace(first().image());
    report_ = image_->report();
    report_.steps.push_back({"load", load_time_.count()});
  }

  // Whether a request that this transform answers has nothing left to do: its first kernel, of which the report is, is
  // prepared in the current context.
  bool is_ready_here() const noexcept {
    if (first().host() != nullptr) return true;
    return options_.devices.empty() && first().function_in(launch::current_context(first().driver())) != nullptr;
  }

  // Whether other calls may be given this transform: none of its kernels is for one call alone.
  bool is_shared() const noexcept {
    const std::size_t count = kernel_count_.load(std::memory_order_acquire);
    return std::none_of(kernels_.begin(), kernels_.begin() + static_cast<std::ptrdiff_t>(count),
                        [](const auto& kernel) { return kernel->image()->is_for_one_call; });
  }

  const Kernel& first() const noexcept { return *kernels_[0]; }
  const Image& image() const noexcept { return *image_; }
  const Report& report() const noexcept { return report_; }
  unsigned shared_bytes() const noexcept { return static_cast<unsigned>(options_.shared_bytes); }

  struct Here {
    const Kernel& kernel;
    CUfunction function;
  };

  // The kernel that is prepared in the current context. Throws Error: InvalidArgument for a host transform,
  // NotPrepared.
  Here here() const {
    require_gpu();
    const launch::ContextIdentity context = launch::current_context(first().driver());
    const std::size_t count = kernel_count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
      if (const CUfunction function = kernels_[i]->function_in(context)) [[likely]]
        return {*kernels_[i], function};
    fail_not_prepared(context);
  }

  void require_gpu() const {
    if (first().host() != nullptr) [[unlikely]]
      refuse(base::format("{} is a host transform: it takes no stream and no device", first().shape().kernel_name),
             "Call execute(graft::host, in, out) with host memory.");
  }

 private:
  Kernel* find(Architecture architecture) const {
    const std::size_t count = kernel_count_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i)
      if (kernels_[i]->image()->report.architecture == architecture) return kernels_[i].get();
    return nullptr;
  }

  std::shared_ptr<Engine::Impl> engine() const {
    std::shared_ptr<Engine::Impl> engine = engine_.lock();
    if (engine == nullptr)
      refuse(base::format("the engine of {} is gone", first().shape().kernel_name),
             "Let the engine outlive calls of prepare for devices of another architecture.");
    return engine;
  }

  // `make` gives the kernel.
  template <class Make>
  Kernel* add(Make make) {
    const std::size_t place = kernel_count_.load(std::memory_order_relaxed);
    if (place == kernels_.size())
      refuse(base::format("{} serves {} architectures already", first().shape().kernel_name, place),
             "Create another transform for the other devices.");
    kernels_[place] = make();
    kernel_count_.store(place + 1, std::memory_order_release);
    return kernels_[place].get();
  }

  [[noreturn, gnu::cold, gnu::noinline]] void fail_not_prepared(launch::ContextIdentity context) const {
    const std::string& name = first().shape().kernel_name;
    if (context == launch::kNoContext)
      fail(ErrorCode::NotPrepared, base::format("{}: this thread has no current context", name),
           "Call cudaSetDevice(device) or cuCtxSetCurrent(context) in this thread first. CUDA does not survive fork.");
    fail(ErrorCode::NotPrepared, base::format("{} is not prepared in the current context", name),
         "Call prepare(device) or prepare_current() first (also after cudaDeviceReset), or make the context current in "
         "which the transform was created.");
  }

  std::atomic<std::size_t> kernel_count_{0};
  std::array<std::shared_ptr<Kernel>, 16> kernels_;  // one for each architecture among the devices of a host
  std::weak_ptr<Engine::Impl> engine_;
  std::optional<Callback> callback_;
  Options options_;
  std::mutex mutex_;
  Milliseconds load_time_{0};
  std::optional<Image> image_;
  Report report_;
};

Transform Transform::create(const Callback& callback, const Options& options) {
  return create(Engine::shared(), callback, options);
}

Transform Transform::create(Engine& engine, const Callback& callback, const Options& options) {
  return Transform(find_or_create(engine.impl(), callback, TakenOptions(callback, options).get()));
}

std::shared_ptr<Transform::Impl> Transform::find_or_create(const std::shared_ptr<Engine::Impl>& engine,
                                                           const Callback& callback, const Options& options) {
  const TransformKey key(callback, options);
  std::shared_ptr<Impl> impl = engine->find_transform(key);
  if (impl != nullptr && impl->is_ready_here()) {
    engine->count_memory_hit();
    return impl;
  }
  impl = std::make_shared<Impl>(engine, callback, options);
  if (options.routes.required == Route::Host) impl->add_host_kernel();
  else impl->prepare_chosen();
  impl->write_report();
  // The key is another one where another thread left the working folder meanwhile.
  if (impl->is_shared() && key == TransformKey(callback, options)) engine->keep_transform(key, impl);
  return impl;
}

std::shared_future<Transform> Transform::create_async(const Callback& callback, const Options& options) {
  return create_async(Engine::shared(), callback, options);
}

std::shared_future<Transform> Transform::create_async(Engine& engine, const Callback& callback,
                                                      const Options& options) {
  const CUcontext context =
      options.routes.required == Route::Host || !options.devices.empty() ? nullptr : launch::context_of_this_thread();
  // Shared, because a std::function must be copyable.
  auto promise = std::make_shared<std::promise<Transform>>();
  std::shared_future<Transform> result = promise->get_future().share();
  engine.impl()->run(
      [promise, context, callback, options = TakenOptions(callback, options).get(), impl = engine.impl()] {
        try {
          const launch::BorrowedContext borrowed(context);
          promise->set_value(Transform(find_or_create(impl, callback, options)));
        } catch (...) {
          promise->set_exception(std::current_exception());
        }
      });
  return result;
}

Transform Transform::load(const Image& image, const Options& options) {
  return load(Engine::shared(), image, options);
}

Transform Transform::load(Engine& engine, const Image& image, const Options& options) {
  if (options.closed && image.report().route == Route::Host)
    refuse("the host route is refused in the closed mode, and the image is a host image",
           "Load it without Options::closed, or build a kernel for a GPU.");
  Options own = options;
  own.architecture = image.report().architecture;
  auto impl = std::make_shared<Impl>(engine.impl(), std::nullopt, std::move(own));
  impl->add_image(image.data());
  if (image.report().route != Route::Host) impl->prepare_chosen();
  impl->write_report();
  return Transform(std::move(impl));
}

void Transform::prepare(int device) {
  impl_->require_gpu();
  impl_->prepare(launch::CurrentContext(device));
}

void Transform::prepare_current() {
  impl_->require_gpu();
  impl_->prepare(launch::CurrentContext());
}

const Signature& Transform::signature() const noexcept {
  return impl_->report().signature;
}
const Report& Transform::report() const noexcept {
  return impl_->report();
}
const Image& Transform::image() const noexcept {
  return impl_->image();
}

launch::Arguments Transform::arguments_of(const detail::Arrays<kMaxInputs>& in, const detail::Arrays<kMaxOutputs>& out,
                                          const Extras& extras) {
  return {{in.data(), in.size()}, {out.data(), out.size()}, extras.state,
          extras.state_type,      extras.info.load,         extras.info.store};
}

void Transform::launch(CUstream_st* stream, const Inputs& in, const Outputs& out, const Extras& extras) const {
  const auto [kernel, function] = impl_->here();
  const launch::Arguments arguments = arguments_of(in, out, extras);
  const std::size_t count = launch::check(kernel.shape(), arguments);
  if (count == 0) return;
  alignas(launch::kMaxStateAlignment) std::byte parameter[launch::kMaxParameterBytes];
  const launch::Grid grid = launch::pack(kernel.shape(), arguments, count, parameter);
  kernel.launch(function, stream, grid, impl_->shared_bytes(), parameter);
}

std::unique_ptr<LaunchParameters> Transform::describe_launch(const Inputs& in, const Outputs& out,
                                                             const Extras& extras) const {
  static_assert(sizeof(LaunchParameters::buffer_) >= launch::kMaxParameterBytes);
  const auto [kernel, function] = impl_->here();
  const launch::Arguments arguments = arguments_of(in, out, extras);
  std::unique_ptr<LaunchParameters> described(new LaunchParameters());
  described->function = function;
  described->block = kernel.shape().threads;
  described->shared_bytes = impl_->shared_bytes();
  described->kernel_params[0] = described->buffer_;
  if (const std::size_t count = launch::check(kernel.shape(), arguments); count != 0) {
    const launch::Grid grid = launch::pack(kernel.shape(), arguments, count, described->buffer_);
    described->grid = grid.blocks;
    described->block = grid.threads;
  }
  return described;
}

void Transform::run_on_host(const HostInputs& in, const HostOutputs& out, const Extras& extras) const {
  const Kernel& kernel = impl_->first();
  if (kernel.host() == nullptr)
    refuse(base::format("{} runs on the GPU, and was asked to run on host memory", kernel.shape().kernel_name),
           "Create it with Options::routes.required = graft::Route::Host.");
  const launch::Arguments arguments = arguments_of(in, out, extras);
  const std::size_t count = launch::check(kernel.shape(), arguments);
  if (count == 0) return;
  alignas(launch::kMaxStateAlignment) std::byte parameter[launch::kMaxParameterBytes];
  launch::pack(kernel.shape(), arguments, count, parameter);
  kernel.host()->run(parameter, 0, count);
}

DeviceSymbol Transform::symbol(std::string_view name) const {
  const Kernel& kernel = impl_->here().kernel;
  const auto variable = kernel.find_variable(name);
  if (!variable)
    fail(ErrorCode::NoSuchSymbol, base::format("{} defines no variable `{}`", kernel.shape().kernel_name, name),
         "Name a __device__ or __constant__ variable of the callback's source as the compiler does: mangled where it "
         "stands in a namespace. One that nothing uses may have been removed.");
  return {variable->pointer, variable->bytes};
}

}  // namespace graft
