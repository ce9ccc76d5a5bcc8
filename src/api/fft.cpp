// An Fft consists of the kernels of a plan, for both directions and for each architecture among the devices that were
// prepared. Every kernel is a request to the engine like any other (families/fft/kernel_request.hpp), with the same
// callbacks, so that memory, disk, tools and routes are those of transforms.
//
// execute takes the kernels that are prepared in the current context, checks the call once, and launches one kernel
// after the other. It takes no lock and allocates no memory.
#include "graft/fft.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"
#include "families/fft/arguments.hpp"
#include "families/fft/kernel_request.hpp"
#include "families/fft/launcher.hpp"
#include "families/fft/lengths.hpp"
#include "graft/error.hpp"
#include "launch/device.hpp"
#include "launch/kernel.hpp"

namespace graft {
namespace {

namespace fft = families::fft;
using launch::Kernel;

// Stands for an FFT without callbacks: the family does not call it.
constexpr const char* kNoCallbacks = "__device__ void plain(graft::Index) {}";

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
  void* memory;
  const Workspace* next;
};

bool is_prepared(const FftPlan& plan, Direction direction) {
  if (plan.directions == FftDirections::Both) return true;
  return (plan.directions == FftDirections::Forward) == (direction == Direction::Forward);
}

void check_plan(const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  fft::check_length(plan.length);
  if (callbacks.between && plan.directions == FftDirections::Inverse)
    refuse(
        "an FFT with a callback between is forward and then inverse, but FftPlan::directions asks for the inverse only",
        "Leave FftPlan::directions unset.");
  if (!options.entry.empty())
    refuse("Options::entry names one function, but an FFT can have several callbacks",
           "Name the entry function of each callback with Callback::with_entry.");
  if (options.routes.required == Route::Ptx || options.routes.required == Route::Indirect)
    refuse(base::format("FFTs are not made by the route {}", name(*options.routes.required)),
           "Leave Options::routes unset, or require the route lto, program or host.");
}

}  // namespace

class Fft::Impl {
 public:
  Impl(std::shared_ptr<Engine::Impl> engine, FftPlan plan, const FftCallbacks& callbacks, Options options)
      : engine_(std::move(engine)),
        plan_(plan),
        callback_(callbacks.load || callbacks.between || callbacks.store
                      ? Callback(Stages{.load = callbacks.load, .op = callbacks.between, .store = callbacks.store})
                      : Callback::source(kNoCallbacks, "graft's FFT without callbacks")),
        has_between_(callbacks.between.has_value()),
        options_(std::move(options)) {
    // A callback between is called by the kernel of the forward direction.
    if (has_between_) plan_.directions = FftDirections::Forward;
  }
  ~Impl() {
    for (const Workspace* one = workspaces_.load(); one != nullptr;) delete std::exchange(one, one->next);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void prepare_chosen() {
    if (options_.routes.required == Route::Host) add(std::nullopt);
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
    const std::size_t bytes = kernels->plan->has_workspace() ? workspace_bytes(plan_.batch) : 0;
    if (bytes == 0 || workspace_in(here) != nullptr) return;
    CUdeviceptr memory = 0;
    if (const CUresult result = driver.api().cuMemAlloc(&memory, bytes); result != CUDA_SUCCESS)
      fail(ErrorCode::DriverFailed,
           base::format("the workspace of an FFT of {} points, {} bytes for a batch of {}, cannot be allocated: {}",
                        plan_.length, bytes, plan_.batch, driver.describe(result)),
           "Use a smaller FftPlan::batch, or pass a workspace to execute.");
    // The driver returns device addresses as integers.
    void* const place = reinterpret_cast<void*>(memory);  // NOLINT(performance-no-int-to-ptr)
    workspaces_.store(new Workspace{here, place, workspaces_.load(std::memory_order_relaxed)},
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
    if (kernels.plan->has_workspace()) call.workspace = workspace_for(call.batch, launch, context);
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
    std::vector<std::byte> workspace(kernels.plan->has_workspace() ? workspace_bytes(call.batch) : 0);
    call.workspace = workspace.data();
    arguments.more = &call;
    for (const std::shared_ptr<Kernel>& kernel : kernels_of(kernels, direction)) {
      const std::span<const std::byte> constants = kernel->launcher().constants();
      families::Call laid_out;
      kernel->launcher().lay_out(arguments, const_cast<std::byte*>(constants.data()), laid_out);
      if (laid_out.count > 0) kernel->host()->run(laid_out.parameters, 0, laid_out.launches[0].items);
    }
  }

  std::size_t workspace_bytes(std::size_t batch) const noexcept {
    bool has_workspace = false;
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) has_workspace |= all_[i]->plan->has_workspace();
    const auto point = static_cast<std::size_t>(complex_bytes(precision()));
    return has_workspace ? batch * static_cast<std::size_t>(plan_.length) * point : 0;
  }

  const std::vector<Report>& reports() const noexcept { return reports_; }

 private:
  fft::Precision precision() const {
    return plan_.precision == FftPrecision::F32 ? fft::Precision::Single : fft::Precision::Double;
  }

  fft::KernelRequest request(std::optional<Architecture> architecture, Direction direction) const {
    fft::KernelRequest request;
    request.length = plan_.length;
    request.precision = precision();
    request.architecture = architecture ? Architecture(architecture->number) : Architecture();
    request.has_inverse = has_between_;
    request.is_inverse = direction == Direction::Inverse;
    request.scaling = static_cast<fft::Scaling>(plan_.scaling);
    request.has_unit_stride_in = request.has_unit_stride_out = !plan_.has_strides;
    return request;
  }

  // Builds and loads the kernels for an architecture or, without one, for the host.
  const Kernels* add(std::optional<Architecture> architecture) {
    const std::size_t place = count_.load(std::memory_order_relaxed);
    if (place == all_.size())
      refuse(base::format("an FFT already serves {} architectures, the most that one can", place),
             "Create another FFT for the other devices.");
    auto kernels = std::make_unique<Kernels>();
    kernels->architecture = architecture.value_or(Architecture());
    kernels->plan = fft::plan_of(request(architecture, Direction::Forward));
    if (kernels->plan->kernels.empty())
      refuse(
          base::format("an FFT of {} points, a callback and an inverse FFT do not fit into one kernel", plan_.length),
          "Use a shorter length, or two FFTs with a store callback.");
    for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
      if (!is_prepared(plan_, direction)) continue;
      fft::KernelRequest wanted = request(architecture, direction);
      for (; wanted.kernel < static_cast<std::int64_t>(kernels->plan->kernels.size()); ++wanted.kernel) {
        const Callback callback = callback_.for_family(fft::kFamily, fft::to_tuning(wanted));
        Milliseconds load_time{0};
        kernels->of_direction[static_cast<std::size_t>(direction)].push_back(
            engine_->find_kernel({callback, architecture, options_}, load_time));
      }
    }
    all_[place] = std::move(kernels);
    count_.store(place + 1, std::memory_order_release);
    return all_[place].get();
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
    fail(ErrorCode::NotPrepared,
         base::format("an FFT of {} points is not prepared in the current context", plan_.length),
         "Call prepare(device) or prepare_current() first (also after cudaDeviceReset), or make the context in which "
         "the "
         "FFT was created the current one.");
  }

  const std::vector<std::shared_ptr<Kernel>>& kernels_of(const Kernels& kernels, Direction direction) const {
    const auto& found = kernels.of_direction[static_cast<std::size_t>(direction)];
    if (!found.empty()) return found;
    if (has_between_)
      refuse("an FFT with a callback between has no inverse direction: it is a forward and an inverse FFT",
             "Call execute without a direction.");
    refuse(base::format("this FFT of {} points was not prepared for the {} direction", plan_.length,
                        direction == Direction::Forward ? "forward" : "inverse"),
           "Set FftPlan::directions to both.");
  }

  static families::Arguments arguments_of(ArrayRefs in, ArrayRefs out, const FftLaunch& launch) {
    return {in.span(), out.span(), launch.state.bytes, launch.state.type, launch.info.load, launch.info.store};
  }

  fft::FftCall check(const Kernels& kernels, Direction direction, const families::Arguments& arguments,
                     const FftLaunch& launch) const {
    const Kernel& first = *kernels_of(kernels, direction).front();
    return fft::check_call({first.name(), first.image()->kernel().signature, request(std::nullopt, direction)},
                           arguments, launch);
  }

  void* workspace_in(launch::ContextIdentity context) const {
    for (const Workspace* one = workspaces_.load(std::memory_order_acquire); one != nullptr; one = one->next)
      if (one->context == context) return one->memory;
    return nullptr;
  }

  void* workspace_for(std::uint64_t batch, const FftLaunch& launch, launch::ContextIdentity context) const {
    const std::size_t needed = workspace_bytes(batch);
    if (launch.workspace != nullptr) {
      if (launch.workspace_bytes < needed)
        refuse(base::format("a batch of {} FFTs of {} points needs a workspace of {} bytes, but {} were given", batch,
                            plan_.length, needed, launch.workspace_bytes),
               "Pass a workspace of Fft::workspace_bytes(batch) bytes.");
      if (reinterpret_cast<std::uintptr_t>(launch.workspace) % 16 != 0)
        fail(ErrorCode::Misaligned, "the workspace of an FFT is not aligned to 16 bytes",
             "Allocate the workspace with cudaMalloc.");
      return launch.workspace;
    }
    if (batch > plan_.batch)
      refuse(
          base::format("a batch of {} FFTs of {} points needs a workspace of {} bytes, but create allocated one for a "
                       "batch of {}",
                       batch, plan_.length, needed, plan_.batch),
          "Set FftPlan::batch to the largest batch, or pass a workspace in FftLaunch.");
    return workspace_in(context);
  }

  std::shared_ptr<Engine::Impl> engine_;
  FftPlan plan_;
  Callback callback_;
  bool has_between_;
  Options options_;
  std::mutex mutex_;
  std::atomic<std::size_t> count_{0};
  // One for each architecture. 16 are enough, because a machine has devices of a few architectures only.
  std::array<std::unique_ptr<Kernels>, 16> all_;
  std::atomic<const Workspace*> workspaces_{nullptr};
  std::vector<Report> reports_;
};

Fft Fft::create(const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  return create(Engine::shared(), plan, callbacks, options);
}

Fft Fft::create(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  check_plan(plan, callbacks, options);
  const Callback of_options = callbacks.load.value_or(Callback(kNoCallbacks));
  auto impl = std::make_shared<Impl>(Engine::Impl::of(engine), plan, callbacks,
                                     engine::TakenOptions(of_options, options).get());
  impl->prepare_chosen();
  return Fft(std::move(impl));
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

std::size_t Fft::workspace_bytes(std::size_t batch) const noexcept {
  return impl_->workspace_bytes(batch);
}

const std::vector<Report>& Fft::reports() const noexcept {
  return impl_->reports();
}

}  // namespace graft
