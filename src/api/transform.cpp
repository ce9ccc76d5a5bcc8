// A Transform is one callback with one loaded kernel for each architecture among the devices that were prepared.
//
// create finds a transform for an equal request (the same callback and options) in the engine, or makes a new one.
// prepare adds a kernel if the transform has none for the device's architecture. execute takes the kernel that is
// prepared in the current context, lays out the kernel's arguments and launches the kernel. execute takes no lock and
// allocates no memory.
#include "graft/transform.hpp"
#include "base/format.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "api/load_check.hpp"
#include "api/run_in_engine.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"
#include "families/call.hpp"
#include "graft/error.hpp"
#include "launch/device.hpp"
#include "launch/kernel.hpp"

namespace graft {
namespace {

using launch::Kernel;
using Clock = std::chrono::steady_clock;

families::Arguments arguments_of(ArrayRefs in, ArrayRefs out, const StateRef& state, const CallerInfo& info) {
  return {in.span(), out.span(), state.bytes, state.type, info.load, info.store};
}

families::Arguments arguments_of(Count count, const StateRef& state) {
  families::Arguments arguments = arguments_of({}, {}, state, {});
  arguments.count = count.elements();
  return arguments;
}

}  // namespace

// A transform only ever appends kernels and never removes one. Storing kernel_count_ publishes a new kernel, so execute
// reads the kernels without a lock.
class Transform::Impl {
 public:
  // Returns the transform that the engine keeps for an equal request, after preparing it for this request. Makes a new
  // transform if the engine keeps none, or if the one that it keeps cannot be prepared for this request.
  static std::shared_ptr<Impl> find_or_create(const std::shared_ptr<Engine::Impl>& engine, const Callback& callback,
                                              const Options& options);

  // `callback` is empty for a transform that was loaded from an image; its single kernel serves every device. The
  // reference to the engine is weak, because the engine holds references to its transforms.
  Impl(const std::shared_ptr<Engine::Impl>& engine, std::optional<Callback> callback, Options options)
      : engine_(engine), callback_(std::move(callback)), options_(std::move(options)) {}

  void add_image(const std::shared_ptr<const Image::Data>& image) {
    add([&] { return engine()->find_or_load(image, load_time_); });
  }

  // Builds and adds the kernel of the host route, which belongs to no device.
  void add_host_kernel() {
    add([&] { return engine()->find_kernel({*callback_, std::nullopt, options_}, load_time_); });
  }

  // Prepares `context`, which must be current. If this transform has no kernel for the context's device, builds and
  // loads one first.
  void prepare(const launch::CurrentContext& context) {
    const std::lock_guard lock(mutex_);
    const Architecture architecture = options_.architecture.value_or(context.architecture());
    Kernel* kernel = find(architecture);
    if (kernel == nullptr)
      kernel = add([&] { return engine()->find_kernel({*callback_, architecture, options_}, load_time_); });
    const auto begin = Clock::now();
    kernel->prepare_current();
    load_time_ += Clock::now() - begin;
  }

  // Prepares the devices that the options name. If the options name none, prepares the current context.
  void prepare_chosen() {
    if (options_.devices.empty()) prepare(launch::CurrentContext());
    for (const int device : options_.devices) prepare(launch::CurrentContext(device));
  }

  void write_report() {
    image_.emplace(Image::Data::image(first().image()));
    report_ = image_->report();
    report_.steps.push_back({"load", load_time_.count()});
  }

  // Prepares this transform for a new request that is equal to the request it was made for. Returns false if the new
  // request needs a transform of its own. This is the case when the current device has another architecture than the
  // first kernel, because report() describes the first kernel.
  bool prepare_again() {
    if (is_ready_here()) return true;
    if (options_.devices.empty() && !options_.architecture &&
        launch::CurrentContext().architecture() != first().image()->kernel().architecture)
      return false;
    prepare_chosen();
    return true;
  }

  const Kernel& first() const noexcept { return *kernels_[0]; }
  const Image& image() const noexcept { return *image_; }
  const Report& report() const noexcept { return report_; }

  // Queues one launch in the current context.
  void execute(CUstream_st* stream, const families::Arguments& arguments) const {
    const auto [kernel, prepared] = here();
    families::Call call;
    kernel.launcher().lay_out(arguments, prepared.workspace, call);
    kernel.launch(prepared.function, stream, call);
  }

  void execute_on_host(const families::Arguments& arguments) const {
    const Kernel& kernel = first();
    if (kernel.host() == nullptr)
      refuse(base::format("{} runs on the GPU, but was asked to run on host memory", kernel.name()),
             "Create it with Options::routes.required = graft::Route::Host.");
    std::vector<std::byte> workspace(kernel.launcher().workspace_bytes());
    families::Call call;
    kernel.launcher().lay_out(arguments, workspace.data(), call);
    for (unsigned i = 0; i < call.count; ++i)
      kernel.host()->run(call.parameters + call.launches[i].parameter, 0, call.launches[i].items);
  }

  std::unique_ptr<LaunchParameters> launch_parameters(const families::Arguments& arguments) const;

  struct Here {
    const Kernel& kernel;
    const Kernel::Prepared& prepared;
  };

  // Returns the kernel that is prepared in the current context. Throws Error: InvalidArgument if this transform runs on
  // the CPU (the host route), NotPrepared if no kernel is prepared in the context.
  Here here() const {
    require_gpu();
    const launch::ContextIdentity context = launch::current_context(first().driver());
    const std::size_t count = kernel_count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
      if (const Kernel::Prepared* const prepared = kernels_[i]->prepared_in(context)) [[likely]]
        return {*kernels_[i], *prepared};
    fail_not_prepared(context);
  }

  // Returns whether the current context is already prepared. A program may create the same transform again and again.
  // Each Transform::create after the first then makes only one driver call, the one in this function.
  bool is_ready_here() const noexcept {
    if (first().host() != nullptr) return true;
    return options_.devices.empty() && first().prepared_in(launch::current_context(first().driver())) != nullptr;
  }

  void require_gpu() const {
    if (first().host() != nullptr) [[unlikely]]
      refuse(base::format("{} is a host transform: it takes no stream and no device", first().name()),
             "Call execute(graft::host, in, out) with host memory. Streams, graphs and device symbols belong to "
             "transforms "
             "of GPU routes.");
  }

 private:
  Kernel* find(Architecture architecture) const {
    const std::size_t count = kernel_count_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i)
      if (kernels_[i]->image()->kernel().architecture == architecture) return kernels_[i].get();
    return nullptr;
  }

  std::shared_ptr<Engine::Impl> engine() const {
    std::shared_ptr<Engine::Impl> engine = engine_.lock();
    if (engine == nullptr)
      refuse(base::format("the engine of {} was destroyed, and only it can build a kernel for a new architecture",
                          first().name()),
             "Keep the engine until prepare was called for a device of each architecture.");
    return engine;
  }

  // Calls `make`, and appends the kernel that it returns.
  template <class Make>
  Kernel* add(Make make) {
    const std::size_t place = kernel_count_.load(std::memory_order_relaxed);
    if (place == kernels_.size())
      refuse(base::format("{} already serves {} architectures, the most that one transform can", first().name(), place),
             "Create another transform for the other devices.");
    kernels_[place] = make();
    kernel_count_.store(place + 1, std::memory_order_release);
    return kernels_[place].get();
  }

  [[noreturn, gnu::cold, gnu::noinline]] void fail_not_prepared(launch::ContextIdentity context) const {
    const std::string& name = first().name();
    if (context == launch::kNoContext)
      fail(ErrorCode::NotPrepared, base::format("{}: this thread has no current context", name),
           "Call cudaSetDevice(device) or cuCtxSetCurrent(context) in this thread first. CUDA does not survive fork.");
    fail(ErrorCode::NotPrepared, base::format("{} is not prepared in the current context", name),
         "Call prepare(device) or prepare_current() first (also after cudaDeviceReset), or make the context in which "
         "the transform was created the current one.");
  }

  std::atomic<std::size_t> kernel_count_{0};
  // One kernel for each architecture. 16 elements are enough, because a machine has devices of a few architectures
  // only.
  std::array<std::shared_ptr<Kernel>, 16> kernels_;
  std::weak_ptr<Engine::Impl> engine_;
  std::optional<Callback> callback_;
  Options options_;
  std::mutex mutex_;
  Milliseconds load_time_{0};
  std::optional<Image> image_;
  Report report_;
};

std::shared_ptr<Transform::Impl> Transform::Impl::find_or_create(const std::shared_ptr<Engine::Impl>& engine,
                                                                 const Callback& callback, const Options& options) {
  const TransformKey key(callback, options);
  std::shared_ptr<Impl> found = engine->find_transform(key);
  if (found != nullptr && found->prepare_again()) {
    engine->count_memory_hit(callback);
    return found;
  }
  auto impl = std::make_shared<Impl>(engine, callback, options);
  if (options.routes.required == Route::Host) impl->add_host_kernel();
  else impl->prepare_chosen();
  impl->write_report();
  // The key of a request that could #include a file contains the working folder. If another thread changed the working
  // folder during the build, the key that is computed now differs from `key`, and the engine does not store the
  // transform.
  if (key != TransformKey(callback, options)) return impl;
  const std::shared_ptr<Impl> kept = engine->keep_transform(key, impl, found);
  return kept == impl || kept->prepare_again() ? kept : impl;
}

Transform Transform::create(const Callback& callback, const Options& options) {
  return create(Engine::shared(), callback, options);
}

Transform Transform::create(Engine& engine, const Callback& callback, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return Transform(
      Impl::find_or_create(impl, callback, engine::TakenOptions(callback, options, &impl->logger()).get()));
}

Pending<Transform> Transform::create_async(const Callback& callback, const Options& options) {
  return create_async(Engine::shared(), callback, options);
}

Pending<Transform> Transform::create_async(Engine& engine, const Callback& callback, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return run_in_engine<Transform>(impl, options, [&] {
    return [impl, callback, taken = engine::TakenOptions(callback, options, &impl->logger()).get()] {
      return Transform(Impl::find_or_create(impl, callback, taken));
    };
  });
}

Transform Transform::load(const Image& image, const Options& options) {
  return load(Engine::shared(), image, options);
}

Transform Transform::load(Engine& engine, const Image& image, const Options& options) {
  check_load(image, options);
  Options own = options;
  own.architecture = image.report().kernel.architecture;
  auto impl = std::make_shared<Impl>(Engine::Impl::of(engine), std::nullopt, std::move(own));
  impl->add_image(Image::Data::of(image));
  if (image.report().kernel.route != Route::Host) impl->prepare_chosen();
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
  return impl_->report().kernel.signature;
}
const Report& Transform::report() const noexcept {
  return impl_->report();
}
const Image& Transform::image() const noexcept {
  return impl_->image();
}

void Transform::execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state,
                        const CallerInfo& info) const {
  impl_->execute(stream, arguments_of(in, out, state, info));
}

void Transform::execute(CUstream_st* stream, Count count, const StateRef& state) const {
  impl_->execute(stream, arguments_of(count, state));
}

void Transform::execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state, const CallerInfo& info) const {
  impl_->execute_on_host(arguments_of(in, out, state, info));
}

void Transform::execute(HostTag, Count count, const StateRef& state) const {
  impl_->execute_on_host(arguments_of(count, state));
}

std::unique_ptr<LaunchParameters> Transform::launch_parameters(ArrayRefs in, ArrayRefs out, const StateRef& state,
                                                               const CallerInfo& info) const {
  return impl_->launch_parameters(arguments_of(in, out, state, info));
}

std::unique_ptr<LaunchParameters> Transform::launch_parameters(Count count, const StateRef& state) const {
  return impl_->launch_parameters(arguments_of(count, state));
}

std::unique_ptr<LaunchParameters> Transform::Impl::launch_parameters(const families::Arguments& arguments) const {
  static_assert(sizeof(LaunchParameters::buffer_) == sizeof(families::Call::parameters) &&
                alignof(LaunchParameters) == families::kParameterAlignment);
  const auto [kernel, prepared] = here();
  families::Call call;
  kernel.launcher().lay_out(arguments, prepared.workspace, call);
  if (call.count > 1)
    refuse(base::format("one call of {} takes {} launches, but LaunchParameters can describe only one launch",
                        kernel.name(), call.count),
           "Capture a call of execute into the graph instead.");
  const families::Call::Launch& launch = call.launches[0];
  std::unique_ptr<LaunchParameters> described(new LaunchParameters());
  described->function = prepared.function;
  described->grid = launch.grid.blocks;
  described->block = launch.grid.threads;
  described->shared_bytes = launch.shared_bytes;
  described->kernel_params[0] = described->buffer_;
  if (call.count != 0) std::memcpy(described->buffer_, call.parameters + launch.parameter, launch.parameter_bytes);
  return described;
}

DeviceSymbol Transform::symbol(std::string_view name) const {
  const Kernel& kernel = impl_->here().kernel;
  const auto variable = kernel.find_variable(name);
  if (!variable)
    fail(ErrorCode::NoSuchSymbol, base::format("{} defines no variable `{}`", kernel.name(), name),
         "Give the name of a __device__ or __constant__ variable of the callback's source, mangled if the variable is "
         "in a namespace. The compiler may remove a variable that nothing uses.");
  return {variable->pointer, variable->bytes};
}

}  // namespace graft
