// An Fft consists of the kernels of a plan, for both directions and for each architecture among the devices that were
// prepared. fft_kernels.hpp says which kernels these are. Every kernel is a request to the engine like any other, so
// that memory, disk, tools and routes are those of transforms.
//
// execute takes the kernels that are prepared in the current context, checks the call once, and launches one kernel
// after the other. It takes no lock and allocates no memory, except a few bytes when a call that uses the workspace of
// create is captured: the graph then owns a share of the workspace (launch/device_memory.hpp).
#include "graft/fft.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "api/fft_kernels.hpp"
#include "api/load_check.hpp"
#include "api/run_in_engine.hpp"
#include "base/format.hpp"
#include "base/in_parallel.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/engine_impl.hpp"
#include "families/fft/arguments.hpp"
#include "families/fft/batch.hpp"
#include "families/fft/kernel_request.hpp"
#include "families/fft/launcher.hpp"
#include "graft/error.hpp"
#include "launch/device.hpp"
#include "launch/device_memory.hpp"
#include "launch/kernel.hpp"

namespace graft {
namespace {

namespace fft = families::fft;
using launch::Kernel;

constexpr std::size_t kDirections = 2;

// The kernels for one architecture, or for the host.
struct Kernels {
  Architecture architecture;
  std::shared_ptr<const fft::Plan> plan;
  // In the order of their launches; none for a direction that is not prepared.
  std::array<std::vector<std::shared_ptr<Kernel>>, kDirections> of_direction;

  const std::vector<std::shared_ptr<Kernel>>& any() const {
    return of_direction[0].empty() ? of_direction[1] : of_direction[0];
  }
  const Kernel& first() const { return *any().front(); }
};

// The workspace that create allocated in a context. A list of these only grows, so that execute walks it without a
// lock.
struct Workspace {
  launch::ContextIdentity context;
  launch::DeviceMemory memory;
  const Workspace* next;
};

// The memory of a call on the host, without initial values. Throws Error(SystemFailed).
std::unique_ptr<std::byte[]> host_workspace(std::size_t bytes, const FftPlan& plan) {
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  if (memory == nullptr)
    fail(ErrorCode::SystemFailed,
         base::format("the workspace of an FFT of {} points, {} bytes, cannot be allocated on the host", plan.length,
                      bytes),
         "Execute a smaller batch, or the batch in several calls.");
  return memory;
}

}  // namespace

class Fft::Impl {
 public:
  // `options` are as taken_options returned them.
  Impl(std::shared_ptr<Engine::Impl> engine, FftKernels kernels, Options options)
      : engine_(std::move(engine)), kernels_(std::move(kernels)), options_(std::move(options)) {}
  ~Impl() {
    for (const Workspace* one = workspaces_.load(); one != nullptr;) delete std::exchange(one, one->next);
    launch::free_put_off_memory();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void prepare_chosen() {
    if (is_on_host()) add(std::nullopt);
    else if (options_.devices.empty()) prepare(launch::CurrentContext());
    for (const int device : options_.devices) prepare(launch::CurrentContext(device));
    for (const auto& kernels : all_[0]->of_direction)
      for (const auto& kernel : kernels) reports_.push_back(kernel->image()->report);
  }

  // Prepares `context`, which must be current.
  void prepare(const launch::CurrentContext& context) {
    const std::lock_guard lock(mutex_);
    const Architecture architecture = options_.architecture.value_or(context.architecture());
    const Kernels* kernels = find(architecture);
    if (kernels == nullptr) kernels = add(architecture);
    for (const auto& direction : kernels->of_direction)
      for (const auto& kernel : direction) kernel->prepare_current();
    const toolchain::Driver& driver = kernels->first().driver();
    const launch::ContextIdentity here = launch::current_context(driver);
    const std::size_t bytes = kernels->plan->has_workspace() ? workspace_bytes(plan().batch) : 0;
    if (bytes == 0 || workspace_in(here) != nullptr) return;
    CUresult result = CUDA_SUCCESS;
    launch::DeviceMemory memory(driver, bytes, result);
    if (result != CUDA_SUCCESS)
      fail(ErrorCode::DriverFailed,
           base::format("the workspace of an FFT of {} points, {} bytes for a batch of {}, cannot be allocated: {}",
                        plan().length, bytes, plan().batch, driver.describe(result)),
           "Use a smaller FftPlan::batch, or pass a workspace to execute.");
    workspaces_.store(new Workspace{here, std::move(memory), workspaces_.load(std::memory_order_relaxed)},
                      std::memory_order_release);
  }

  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, Direction direction, const FftLaunch& launch) const {
    if (all_[0]->first().host() != nullptr)
      refuse("this FFT runs on the host: it takes no stream and no device",
             "Call execute(graft::host, in, out) with host memory.");
    const launch::ContextIdentity context = launch::current_context(all_[0]->first().driver());
    const Kernels& kernels = prepared_in(context);
    families::Arguments arguments = arguments_of(in, out, launch);
    fft::FftCall call = check(kernels, direction, arguments, launch);
    if (kernels.plan->has_workspace())
      call.workspace = launch.workspace != nullptr ? workspace_of_caller(call.batch, launch)
                                                   : workspace_of_create(call.batch, context, stream);
    arguments.more = &call;
    for (const std::shared_ptr<Kernel>& kernel : kernels_of(kernels, direction)) {
      const Kernel::Prepared& prepared = *kernel->prepared_in(context);
      families::Call laid_out;
      kernel->launcher().lay_out(arguments, prepared.workspace, laid_out);
      kernel->launch(prepared.function, stream, laid_out);
    }
  }

  void execute_on_host(ArrayRefs in, ArrayRefs out, Direction direction, const FftLaunch& launch) const {
    const Kernels& kernels = *all_[0];
    if (kernels.first().host() == nullptr)
      refuse("this FFT runs on the GPU, but was asked to run on host memory",
             "Create it with Options::routes.required = graft::Route::Host.");
    families::Arguments arguments = arguments_of(in, out, launch);
    fft::FftCall call = check(kernels, direction, arguments, launch);
    const auto workspace = host_workspace(kernels.plan->has_workspace() ? workspace_bytes(call.batch) : 0, plan());
    call.workspace = workspace.get();
    arguments.more = &call;
    for (const std::shared_ptr<Kernel>& kernel : kernels_of(kernels, direction)) {
      const std::span<const std::byte> constants = kernel->launcher().constants();
      families::Call laid_out;
      kernel->launcher().lay_out(arguments, const_cast<std::byte*>(constants.data()), laid_out);
      if (laid_out.count > 0) kernel->host()->run(laid_out.parameters, 0, laid_out.launches[0].items);
    }
  }

  std::size_t workspace_bytes(std::size_t batch) const {
    bool has_workspace = false;
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) has_workspace |= all_[i]->plan->has_workspace();
    if (!has_workspace) return 0;
    const std::optional<std::uint64_t> points = fft::points_of(plan().length, batch);
    if (!points)
      refuse(base::format("a batch of {} FFTs of {} points needs a larger workspace than any memory holds", batch,
                          plan().length),
             "Use a smaller batch.");
    return *points * static_cast<std::size_t>(complex_bytes(kernels_.request(Direction::Forward).precision));
  }

  const std::vector<Report>& reports() const noexcept { return reports_; }
  const FftPlan& plan() const noexcept { return kernels_.plan(); }

 private:
  bool is_on_host() const { return kernels_.is_on_host(options_); }

  // Builds and loads the kernels for an architecture or, without one, for the host.
  const Kernels* add(std::optional<Architecture> architecture) {
    const std::size_t place = count_.load(std::memory_order_relaxed);
    if (place == all_.size())
      refuse(base::format("an FFT already serves {} architectures, the most that one can", place),
             "Create another FFT for the other devices.");
    auto kernels = std::make_unique<Kernels>();
    kernels->architecture = architecture.value_or(Architecture());
    kernels->plan = kernels_.plan_for(architecture);
    const std::vector<FftKernel> wanted = kernels_.kernels_for(architecture);
    const CUcontext context = architecture ? launch::context_of_this_thread() : nullptr;
    std::vector<std::shared_ptr<Kernel>> loaded = base::results_in_parallel(wanted.size(), [&](std::size_t i) {
      const launch::BorrowedContext borrowed(context);
      return load(wanted[i], architecture);
    });
    for (std::size_t i = 0; i < wanted.size(); ++i)
      kernels->of_direction[wanted[i].request.is_inverse ? 1 : 0].push_back(std::move(loaded[i]));
    for (const auto& direction : kernels->of_direction)
      for (const auto& kernel : direction) check_signature(*kernel, kernels->first());
    all_[place] = std::move(kernels);
    count_.store(place + 1, std::memory_order_release);
    return all_[place].get();
  }

  std::shared_ptr<Kernel> load(const FftKernel& wanted, std::optional<Architecture> architecture) {
    Milliseconds load_time{0};
    std::shared_ptr<Kernel> kernel = wanted.image != nullptr
                                         ? engine_->find_or_load(wanted.image, load_time)
                                         : engine_->find_kernel({*wanted.callback, architecture, options_}, load_time);
    // A pack could contain another kernel than it says.
    fft::KernelRequest found;
    if (!fft::read_tuning(kernel->image()->kernel().tuning, found).empty() || found != wanted.request)
      fail(ErrorCode::ImageRefused, base::format("{} is not the kernel that its pack describes", kernel->name()),
           "Make the pack again.");
    return kernel;
  }

  // execute checks its arguments once, for the first kernel.
  static void check_signature(const Kernel& kernel, const Kernel& first) {
    if (kernel.image()->kernel().signature == first.image()->kernel().signature &&
        kernel.image()->kernel().shared_bytes == first.image()->kernel().shared_bytes)
      return;
    fail(ErrorCode::ImageRefused, base::format("{} has other callbacks than {}", kernel.name(), first.name()),
         "Make all kernels of an FFT with the same callbacks.");
  }

  const Kernels* find(Architecture architecture) const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
      if (all_[i]->architecture == architecture) return all_[i].get();
    return nullptr;
  }

  const Kernels& prepared_in(launch::ContextIdentity context) const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
      if (all_[i]->first().prepared_in(context) != nullptr) return *all_[i];
    if (context == launch::kNoContext)
      fail(ErrorCode::NotPrepared, "an FFT was executed in a thread that has no current context",
           "Call cudaSetDevice(device) or cuCtxSetCurrent(context) in this thread first. CUDA does not survive fork.");
    fail_not_prepared();
  }

  [[noreturn, gnu::cold]] void fail_not_prepared() const {
    fail(ErrorCode::NotPrepared,
         base::format("an FFT of {} points is not prepared in the current context", plan().length),
         "Call prepare(device) or prepare_current() first (also after cudaDeviceReset), or make the context in which "
         "the FFT was created the current one.");
  }

  const std::vector<std::shared_ptr<Kernel>>& kernels_of(const Kernels& kernels, Direction direction) const {
    check_enumerator(direction, Direction::Inverse, "the direction");
    const auto& found = kernels.of_direction[static_cast<std::size_t>(direction)];
    if (!found.empty()) return found;
    if (kernels_.has_between())
      refuse("an FFT with a callback between has no inverse direction: it is a forward and an inverse FFT",
             "Call execute with Direction::Forward, the default.");
    refuse(base::format("this FFT of {} points was not prepared for the {} direction", plan().length,
                        direction == Direction::Forward ? "forward" : "inverse"),
           "Set FftPlan::directions to both.");
  }

  static families::Arguments arguments_of(ArrayRefs in, ArrayRefs out, const FftLaunch& launch) {
    return {in.span(), out.span(), launch.state.bytes, launch.state.type, launch.info.load, launch.info.store};
  }

  fft::FftCall check(const Kernels& kernels, Direction direction, const families::Arguments& arguments,
                     const FftLaunch& launch) const {
    const Kernel& first = *kernels_of(kernels, direction).front();
    return fft::check_call({first.name(), first.image()->kernel().signature, kernels_.request(direction)}, arguments,
                           launch);
  }

  const launch::DeviceMemory* workspace_in(launch::ContextIdentity context) const {
    for (const Workspace* one = workspaces_.load(std::memory_order_acquire); one != nullptr; one = one->next)
      if (one->context == context) return &one->memory;
    return nullptr;
  }

  void* workspace_of_caller(std::uint64_t batch, const FftLaunch& launch) const {
    const std::size_t needed = workspace_bytes(batch);
    if (launch.workspace_bytes < needed)
      refuse(base::format("a batch of {} FFTs of {} points needs a workspace of {} bytes, but {} were given", batch,
                          plan().length, needed, launch.workspace_bytes),
             "Pass a workspace of Fft::workspace_bytes(batch) bytes.");
    if (reinterpret_cast<std::uintptr_t>(launch.workspace) % 16 != 0)
      fail(ErrorCode::Misaligned, "the workspace of an FFT is not aligned to 16 bytes",
           "Allocate the workspace with cudaMalloc.");
    return launch.workspace;
  }

  // Returns the workspace that create allocated. If `stream` is being captured, its graph keeps the workspace.
  void* workspace_of_create(std::uint64_t batch, launch::ContextIdentity context, CUstream stream) const {
    if (batch == 0) return nullptr;
    if (batch > plan().batch)
      refuse(
          base::format("a batch of {} FFTs of {} points needs a workspace of {} bytes, but create allocated one for a "
                       "batch of {}",
                       batch, plan().length, workspace_bytes(batch), plan().batch),
          "Set FftPlan::batch to the largest batch, or pass a workspace in FftLaunch.");
    const launch::DeviceMemory* const memory = workspace_in(context);
    // Another Fft with the same kernels may have prepared them here.
    if (memory == nullptr) fail_not_prepared();
    if (const CUresult result = memory->keep_for_capture(stream); result != CUDA_SUCCESS)
      fail(ErrorCode::LaunchFailed,
           base::format("an FFT of {} points was not launched, because the graph that captures it cannot keep its "
                        "workspace: {}",
                        plan().length, all_[0]->first().driver().describe(result)),
           "Check that the stream belongs to the current context, and that no other stream is captured beside the "
           "legacy default stream.");
    return memory->get();
  }

  std::shared_ptr<Engine::Impl> engine_;
  FftKernels kernels_;
  Options options_;
  std::mutex mutex_;
  std::atomic<std::size_t> count_{0};
  // One for each architecture. 16 are enough, because a machine has devices of a few architectures only.
  std::array<std::unique_ptr<Kernels>, 16> all_;
  std::atomic<const Workspace*> workspaces_{nullptr};
  std::vector<Report> reports_;
};

namespace {

// `options` are as taken_options returned them.
std::shared_ptr<Fft::Impl> prepared(std::shared_ptr<Engine::Impl> engine, FftKernels kernels, Options options) {
  auto impl = std::make_shared<Fft::Impl>(std::move(engine), std::move(kernels), std::move(options));
  impl->prepare_chosen();
  return impl;
}

std::shared_ptr<Fft::Impl> prepared(Engine& engine, FftKernels kernels, const Options& options) {
  Options taken = taken_options(engine, kernels, options);
  return prepared(Engine::Impl::of(engine), std::move(kernels), std::move(taken));
}

}  // namespace

Fft Fft::create(const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  return create(Engine::shared(), plan, callbacks, options);
}

Fft Fft::create(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  return Fft(prepared(engine, FftKernels::of_callbacks(plan, callbacks), options));
}

Pending<Fft> Fft::create_async(const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  return create_async(Engine::shared(), plan, callbacks, options);
}

Pending<Fft> Fft::create_async(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks,
                               const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return run_in_engine<Fft>(impl, options, [&] {
    FftKernels kernels = FftKernels::of_callbacks(plan, callbacks);
    Options taken = taken_options(engine, kernels, options);
    return
        [impl, kernels = std::move(kernels), taken = std::move(taken)] { return Fft(prepared(impl, kernels, taken)); };
  });
}

Fft Fft::load(std::span<const std::byte> pack, std::size_t batch, const Options& options) {
  return load(Engine::shared(), pack, batch, options);
}

Fft Fft::load(Engine& engine, std::span<const std::byte> pack, std::size_t batch, const Options& options) {
  return Fft(prepared(engine, FftKernels::of_pack(pack, batch), options));
}

Fft Fft::load(const std::vector<Image>& images, std::size_t batch, const Options& options) {
  return load(Engine::shared(), images, batch, options);
}

Fft Fft::load(Engine& engine, const std::vector<Image>& images, std::size_t batch, const Options& options) {
  for (const Image& image : images) check_load(image, options);
  return Fft(prepared(engine, FftKernels::of_images(images, batch), options));
}

void Fft::execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, Direction direction,
                  const FftLaunch& launch) const {
  impl_->execute(stream, in, out, direction, launch);
}

void Fft::execute(HostTag, ArrayRefs in, ArrayRefs out, Direction direction, const FftLaunch& launch) const {
  impl_->execute_on_host(in, out, direction, launch);
}

void Fft::prepare(int device) {
  impl_->prepare(launch::CurrentContext(device));
}
void Fft::prepare_current() {
  impl_->prepare(launch::CurrentContext());
}

std::size_t Fft::workspace_bytes(std::size_t batch) const {
  return impl_->workspace_bytes(batch);
}

const FftPlan& Fft::plan() const noexcept {
  return impl_->plan();
}

const std::vector<Report>& Fft::reports() const noexcept {
  return impl_->reports();
}

}  // namespace graft
