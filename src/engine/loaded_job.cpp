#include "engine/loaded_job.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/in_parallel.hpp"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"

namespace graft {
namespace {

using engine::JobKernels;
using families::Launch;
using Clock = std::chrono::steady_clock;

class GpuRunner final : public families::Runner {
 public:
  GpuRunner(const LoadedJob::Prepared& at, CUstream stream) : at_(at), stream_(stream) {}

  const void* constants(unsigned kernel) override { return at_.targets[at_.first[kernel]].constants; }

  // If the stream is being captured, its graph keeps the workspace.
  void* workspace(std::size_t bytes) override {
    if (bytes > at_.workspace_bytes)
      refuse(base::format("a call of {} needs a workspace of {} bytes, but create allocated {}", at_.caller->title(),
                          bytes, at_.workspace_bytes),
             "Create it for larger calls, or split the call.");
    if (at_.workspace == nullptr) return nullptr;
    if (const CUresult result = at_.workspace->keep_for_capture(stream_); result != CUDA_SUCCESS)
      fail(ErrorCode::LaunchFailed,
           base::format("{} was not launched, because the graph that captures it cannot keep its workspace: {}",
                        at_.caller->title(), at_.targets.front().kernel->driver().describe(result)),
           "Check that the stream belongs to the current context, and that no other stream is captured beside the "
           "legacy default stream.");
    return at_.workspace->get();
  }

  void* stream_workspace() override {
    const launch::StreamMemory::Found found = at_.of_streams->of(stream_);
    if (found.memory != nullptr) return found.memory;
    if (found.is_captured)
      fail(ErrorCode::NotPrepared,
           base::format("{} was not captured, because the stream has no workspace that the graph can own",
                        at_.caller->title()),
           "Call prepare(stream) before each capture of the stream: the graph takes the workspace with it.");
    const std::string why = at_.targets.front().kernel->driver().describe(found.result);
    fail(ErrorCode::DriverFailed,
         base::format("the workspace of {} for this stream, {} bytes, cannot be made: {}", at_.caller->title(),
                      at_.caller->stream_workspace_bytes(), why),
         "Free device memory, and check that the stream belongs to the current context and that no other stream is "
         "being captured.");
  }

  void launch(const Launch& launch) override {
    if (launch.grid.blocks == 0) return;
    const LoadedJob::Target& target = at_.target(launch);
    target.kernel->launch(target.function, stream_, launch);
  }

 private:
  const LoadedJob::Prepared& at_;
  CUstream stream_;
};

class HostRunner final : public families::Runner {
 public:
  HostRunner(const LoadedJob::Loaded& loaded, int threads)
      : loaded_(loaded), threads_(threads > 0 ? static_cast<unsigned>(threads) : std::thread::hardware_concurrency()) {}

  const void* constants(unsigned kernel) override { return loaded_.constants[kernel].data(); }

  void* workspace(std::size_t bytes) override {
    workspace_.reset(new (std::nothrow) std::byte[bytes]);
    if (workspace_ == nullptr)
      fail(ErrorCode::SystemFailed,
           base::format("the workspace of {}, {} bytes, cannot be allocated on the host", loaded_.caller->title(),
                        bytes),
           "Split the call into several.");
    return workspace_.get();
  }

  void launch(const Launch& launch) override {
    if (launch.grid.blocks == 0) return;
    const launch::HostKernel& kernel = *loaded_.kernels[launch.kernel]->host();
    if (launch.view != nullptr) return kernel.run(launch.parameter, *launch.view, 0, launch.items);
    const unsigned long long threads = threads_for(launch);
    if (threads == 1) return kernel.run(launch.parameter, 0, launch.items);
    base::results_in_parallel(threads, [&](unsigned long long i) {
      kernel.run(launch.parameter, launch.items * i / threads, launch.items * (i + 1) / threads);
      return true;
    });
  }

 private:
  unsigned long long threads_for(const Launch& launch) const {
    if (launch.items_of_thread == 0) return 1;
    return std::clamp<unsigned long long>(launch.items / launch.items_of_thread, 1, std::max(threads_, 1u));
  }

  const LoadedJob::Loaded& loaded_;
  unsigned threads_;
  std::unique_ptr<std::byte[]> workspace_;
};

// A kernel that comes from a pack or from another process could be another one than was asked for.
void check_made(const KernelSpec& kernel, const Step& asked) {
  if (kernel.family == asked.family && kernel.request == asked.request) return;
  fail(ErrorCode::ImageRefused,
       base::format("{} is another kernel of the family {} than the one that was asked for, of the family {}",
                    kernel.name, kernel.family, asked.family),
       "Load it with the class of its family, or make it again.");
}

template <class Node>
void delete_list(const Node* node) {
  while (node != nullptr) delete std::exchange(node, node->next);
}

}  // namespace

LoadedJob::LoadedJob(const std::shared_ptr<Engine::Impl>& engine, JobKernels kernels, Options options)
    : engine_(engine), kernels_(std::move(kernels)), options_(std::move(options)), methods_(job().methods) {}

LoadedJob::~LoadedJob() {
  const Prepared* const prepared = prepared_.load();
  const bool had_workspace = prepared != nullptr && (prepared->workspace != nullptr || prepared->of_streams != nullptr);
  delete_list(prepared);
  delete_list(loaded_.load());
  if (had_workspace) launch::free_put_off_memory();
}

void LoadedJob::prepare_chosen() {
  if (kernels_.is_on_host(options_)) {
    const std::lock_guard lock(mutex_);
    add({}, methods_);
  } else {
    prepare_devices();
  }
  write_reports();
}

void LoadedJob::prepare_devices() {
  if (options_.devices.empty()) prepare(launch::CurrentContext());
  for (const int device : options_.devices) prepare(launch::CurrentContext(device));
}

void LoadedJob::prepare(const launch::CurrentContext& context) {
  const std::lock_guard lock(mutex_);
  prepare_loaded(*with(place_of(context), methods_));
}

LoadedJob::Place LoadedJob::place_of(const launch::CurrentContext& context) const {
  const Architecture architecture = options_.architecture.value_or(context.architecture());
  const std::shared_ptr<Engine::Impl> engine = engine_.lock();
  if (engine == nullptr) {  // it can build nothing new: any kernels of the architecture serve
    for (const Loaded* one = loaded_.load(std::memory_order_acquire); one != nullptr; one = one->next)
      if (one->architecture == architecture) return {architecture, one->tuning};
    return {architecture, nullptr};
  }
  if (options_.shipped_tuning || !engine->tunings().may_exist()) return {architecture, nullptr};
  return {architecture, engine->tunings().of_gpu(context.gpu(), architecture, families::of(job().family))};
}

std::vector<std::string> LoadedJob::methods_with(const std::vector<std::string>& names) const {
  std::vector<std::string> methods = methods_;
  for (const std::string& name : names)
    if (std::ranges::find(methods, name) == methods.end()) methods.push_back(name);
  return methods;
}

bool LoadedJob::want_methods(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> methods = methods_with(names);
  const bool has_new = !methods_.empty() && methods.size() != methods_.size();
  if (has_new) methods_.swap(methods);
  return has_new;
}

void LoadedJob::add_methods(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  if (methods_.empty()) return;  // all methods are ready
  std::vector<std::string> methods = methods_with(names);
  if (is_on_host()) {
    with({}, methods);
  } else {
    const launch::CurrentContext context;
    prepare_loaded(*with(place_of(context), methods));
  }
  methods_ = std::move(methods);
}

// Returns kernels of the place that have these methods, and builds and loads those that are not there yet.
const LoadedJob::Loaded* LoadedJob::with(const Place& place, const std::vector<std::string>& methods) {
  const Loaded* const found = find(place);
  const auto has = [&](const std::string& name) { return found->schedule.find(name) != nullptr; };
  return found != nullptr && std::ranges::all_of(methods, has) ? found : add(place, methods);
}

const LoadedJob::Loaded* LoadedJob::find(const Place& place) const noexcept {
  const auto is_of_it = [&](const Loaded& one) {
    return one.architecture == place.architecture && one.tuning == place.tuning;
  };
  const Loaded* one = loaded_.load(std::memory_order_acquire);
  while (one != nullptr && !is_of_it(*one)) one = one->next;
  return one;
}

const LoadedJob::Prepared* LoadedJob::prepared_in(launch::ContextIdentity context) const noexcept {
  const Prepared* one = prepared_.load(std::memory_order_acquire);
  while (one != nullptr && one->context != context) one = one->next;
  return one;
}

// Builds and loads the kernels that the place does not have yet.
const LoadedJob::Loaded* LoadedJob::add(const Place& place, const std::vector<std::string>& methods) {
  const Loaded* const before = find(place);
  JobKernels::Planned planned = kernels_.kernels_for(place.architecture, methods, place.tuning.get());
  const std::vector<Step>& steps = planned.schedule.kernels;
  std::vector<Milliseconds> times(steps.size(), Milliseconds(0));
  const CUcontext context = place.architecture ? launch::context_of_this_thread() : nullptr;
  auto loaded = std::make_unique<Loaded>();
  loaded->kernels = base::results_in_parallel(steps.size(), [&](std::size_t i) {
    const auto known = before == nullptr
                           ? std::ptrdiff_t{0}
                           : std::ranges::find(before->schedule.kernels, steps[i].request, &Step::request) -
                                 before->schedule.kernels.begin();
    if (before != nullptr && known != std::ssize(before->kernels))
      return before->kernels[static_cast<std::size_t>(known)];
    const launch::BorrowedContext borrowed(context);
    return load(planned, i, place, times[i]);
  });
  std::vector<const KernelSpec*> specs;
  for (const auto& kernel : loaded->kernels) specs.push_back(&kernel->image()->kernel());
  const families::Family& family = families::of(job().family);
  loaded->architecture = place.architecture;
  loaded->tuning = place.tuning;
  loaded->caller = family.caller(job(), planned.schedule, specs);
  if (!place.architecture)
    for (const KernelSpec* const spec : specs) loaded->constants.push_back(family.constants(*spec));
  loaded->schedule = std::move(planned.schedule);
  loaded->next = loaded_.load(std::memory_order_relaxed);
  const Loaded* const added = loaded.release();
  loaded_.store(added, std::memory_order_release);
  if (first_ == nullptr) {
    first_ = added;
    load_times_ = std::move(times);
  }
  return added;
}

std::shared_ptr<launch::Kernel> LoadedJob::load(const JobKernels::Planned& planned, std::size_t i, const Place& place,
                                                Milliseconds& time) const {
  const Step& step = planned.schedule.kernels[i];
  std::shared_ptr<launch::Kernel> kernel =
      planned.images.empty() ? engine()->find_kernel({step, place.architecture, options_, place.tuning.get()}, time)
                             : engine()->find_or_load(planned.images[i], time);
  check_made(kernel->image()->kernel(), step);
  return kernel;
}

// Makes the kernels ready in the current context.
void LoadedJob::prepare_loaded(const Loaded& loaded) {
  const launch::ContextIdentity context = launch::current_context(loaded.kernels.front()->driver());
  const Prepared* const before = prepared_in(context);
  if (before != nullptr && before->loaded == &loaded) return;
  auto prepared = std::make_unique<Prepared>();
  for (std::size_t i = 0; i < loaded.kernels.size(); ++i) {
    const auto begin = Clock::now();
    launch::Kernel& kernel = *loaded.kernels[i];
    const launch::Kernel::Prepared& ready = kernel.prepare_current();
    prepared->first.push_back(static_cast<std::uint32_t>(prepared->targets.size()));
    for (CUfunc_st* const function : ready.functions) prepared->targets.push_back({function, &kernel, ready.constants});
    if (&loaded == first_) load_times_[i] += Clock::now() - begin;
  }
  const std::size_t bytes = loaded.caller->workspace_bytes(job().capacity);
  const bool has_enough = before != nullptr && before->workspace_bytes >= bytes;
  prepared->workspace_bytes = has_enough ? before->workspace_bytes : bytes;
  prepared->workspace = has_enough ? before->workspace : allocate_workspace(loaded, bytes);
  const std::size_t of_stream = loaded.caller->stream_workspace_bytes();
  if (before != nullptr && before->of_streams != nullptr && before->of_streams->bytes() >= of_stream)
    prepared->of_streams = before->of_streams;
  else if (of_stream > 0)
    prepared->of_streams = std::make_shared<launch::StreamMemory>(loaded.kernels.front()->driver(), of_stream);
  prepared->context = context;
  prepared->caller = loaded.caller.get();
  prepared->loaded = &loaded;
  prepared->next = prepared_.load(std::memory_order_relaxed);
  prepared_.store(prepared.release(), std::memory_order_release);
}

std::shared_ptr<launch::DeviceMemory> LoadedJob::allocate_workspace(const Loaded& loaded, std::size_t bytes) const {
  if (bytes == 0) return nullptr;
  const toolchain::Driver& driver = loaded.kernels.front()->driver();
  CUresult result = CUDA_SUCCESS;
  auto memory = std::make_shared<launch::DeviceMemory>(driver, bytes, result);
  if (result == CUDA_SUCCESS) return memory;
  fail(ErrorCode::DriverFailed,
       base::format("the workspace of {}, {} bytes for {}, cannot be allocated: {}", loaded.caller->title(), bytes,
                    loaded.caller->size_text(job().capacity), driver.describe(result)),
       "Create it for smaller calls, or pass a workspace to execute.");
}

std::shared_ptr<Engine::Impl> LoadedJob::engine() const {
  std::shared_ptr<Engine::Impl> engine = engine_.lock();
  if (engine == nullptr)
    refuse(base::format("the engine of {} was destroyed, and only it can build a kernel for a new architecture",
                        first_->caller->title()),
           "Keep the engine until prepare was called for a device of each architecture.");
  return engine;
}

void LoadedJob::write_reports() {
  for (std::size_t i = 0; i < first_->kernels.size(); ++i) {
    images_.push_back(Image::Data::image(first_->kernels[i]->image()));
    reports_.push_back(images_.back().report());
    reports_.back().steps.push_back({"load", load_times_[i].count()});
  }
}

void LoadedJob::execute(CUstream_st* stream, const families::Arguments& arguments) const {
  const Prepared& prepared = here();
  GpuRunner runner(prepared, stream);
  prepared.caller->call(arguments, runner);
}

void LoadedJob::prepare_stream(CUstream_st* stream) const {
  const Prepared& prepared = here();
  if (prepared.of_streams != nullptr) GpuRunner(prepared, stream).stream_workspace();
}

void LoadedJob::execute_on_host(const families::Arguments& arguments) const {
  const Loaded* const loaded = find({});
  if (loaded == nullptr)
    refuse(base::format("{} runs on the GPU, but was asked to run on host memory", first_->caller->title()),
           "Create it with Options::routes.required = graft::Route::Host.");
  HostRunner runner(*loaded, options_.host_threads);
  loaded->caller->call(arguments, runner);
}

std::string LoadedJob::method_for(const families::Arguments& arguments) const {
  return first_->caller->method_for(arguments);
}

std::string LoadedJob::describe(const families::Arguments& arguments) const {
  return is_on_host() ? first_->caller->describe(arguments) : here().caller->describe(arguments);
}

const LoadedJob::Prepared& LoadedJob::here() const {
  require_gpu();
  const launch::ContextIdentity context = launch::current_context(first_->kernels.front()->driver());
  const Prepared* const prepared = prepared_in(context);
  if (prepared == nullptr) [[unlikely]]
    fail_not_prepared(context);
  return *prepared;
}

bool LoadedJob::is_ready_here() const noexcept {
  if (is_on_host()) return true;
  return options_.devices.empty() && prepared_in(launch::current_context(first_->kernels.front()->driver())) != nullptr;
}

void LoadedJob::require_gpu() const {
  if (is_on_host()) [[unlikely]]
    refuse(base::format("{} runs on the host: it takes no stream and no device", first_->caller->title()),
           base::format("{} with host memory. Streams, graphs and device symbols belong to GPU routes.",
                        families::of(job().family).face().on_host));
}

std::size_t LoadedJob::workspace_bytes(std::uint64_t capacity) const {
  std::size_t most = 0;
  for (const Loaded* one = loaded_.load(std::memory_order_acquire); one != nullptr; one = one->next)
    most = std::max(most, one->caller->workspace_bytes(capacity));
  return most;
}

[[gnu::cold, gnu::noinline]] void LoadedJob::fail_not_prepared(launch::ContextIdentity context) const {
  const std::string title = first_->caller->title();
  if (context == launch::kNoContext)
    fail(ErrorCode::NotPrepared, base::format("{}: this thread has no current context", title),
         "Call cudaSetDevice(device) or cuCtxSetCurrent(context) in this thread first. CUDA does not survive fork.");
  fail(ErrorCode::NotPrepared, base::format("{} is not prepared in the current context", title),
       "Call prepare(device) or prepare_current() first (also after cudaDeviceReset), or make the context in which it "
       "was created the current one.");
}

}  // namespace graft
