// A Kernel is a job of own kernels (families/own_kernels.hpp) whose image is loaded for each architecture among the
// contexts that were prepared (engine/loaded_job.hpp). Its launches have the caller's own arguments, so they do not go
// through a families::Caller.
#include "graft/kernel.hpp"

#include <algorithm>

#include "api/callback_file.hpp"
#include "api/own_kernels.hpp"
#include "api/run_in_engine.hpp"
#include "base/bytes.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "base/seen_file.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/job_ahead.hpp"
#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "engine/taken_options.hpp"
#include "families/family.hpp"
#include "families/kernel_check.hpp"
#include "families/own_kernels.hpp"
#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "graft/error.hpp"
#include "own_kernels/closed_slot.hpp"
#include "own_kernels/code_shape.hpp"
#include "own_kernels/launch_check.hpp"

namespace graft {

namespace {

using engine::JobKernels;

constexpr std::size_t kMostArguments = 256;

// A kernel of the image, as launches need it.
struct Launchable {
  KernelEntry entry;
  std::vector<own_kernels::Parameter> parameters;
};

// Reads the kernels from the image, whatever the code said: the driver copies as many bytes as the image says.
std::vector<Launchable> kernels_of(const Image& image) {
  const format::Outcome<format::ElfFile> elf = format::read_elf(image.bytes());
  const format::Cubin cubin = elf ? format::read_cubin(*elf) : format::Cubin();
  const KernelSpec& spec = image.report().kernel;
  std::vector<std::string> symbols = {spec.name};
  symbols.insert(symbols.end(), spec.further_entries.begin(), spec.further_entries.end());
  std::vector<Launchable> kernels;
  for (const std::string& symbol : symbols) {
    const format::CubinFunction* const function = cubin.find(symbol);
    const std::string name = own_kernels::name_of(symbol);
    if (function == nullptr || !function->parameters)
      fail(ErrorCode::ImageRefused, base::format("the image does not say which parameters {} has", name),
           "Build it again, with tools that this graft knows.");
    if (function->parameters->size() > kMostArguments)
      refuse(base::format("{} takes {} arguments", name, function->parameters->size()),
             base::format("Give a kernel at most {} parameters.", kMostArguments));
    KernelEntry entry = own_kernels::entry_of(symbol, *function->parameters);
    std::vector<own_kernels::Parameter> parameters = own_kernels::parameters_of(entry, function->offsets);
    kernels.push_back({std::move(entry), std::move(parameters)});
  }
  return kernels;
}

}  // namespace

class Kernel::Impl {
 public:
  Impl(const std::shared_ptr<Engine::Impl>& its_engine, engine::JobKernels kernels, Options options)
      : engine(its_engine), job(its_engine, std::move(kernels), std::move(options)) {
    job.prepare_chosen();
    for (Launchable& kernel : kernels_of(job.images().front())) {
      entries.push_back(std::move(kernel.entry));
      parameters.push_back(std::move(kernel.parameters));
    }
  }

  // An entry in the current context. The job has one kernel.
  const LoadedJob::Target& target(std::size_t entry) const { return job.here().targets[entry]; }

  std::shared_ptr<Engine::Impl> engine;  // which a LoadedJob does not own
  LoadedJob job;
  std::vector<KernelEntry> entries = {};
  std::vector<std::vector<own_kernels::Parameter>> parameters = {};  // of each entry
};

namespace {

int attribute_of(const toolchain::Driver& driver, CUfunction function, CUfunction_attribute attribute) {
  int value = 0;
  return driver.api().cuFuncGetAttribute(&value, attribute, function) == CUDA_SUCCESS ? value : 0;
}

// The most dynamic shared memory that a thread block of the function can have, on the current context's device.
int most_shared_bytes(const toolchain::Driver& driver, CUfunction function) {
  CUdevice device = 0;
  int most = 0;
  if (driver.api().cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      driver.api().cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device) !=
          CUDA_SUCCESS)
    return 0;
  return most - attribute_of(driver, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
}

// A launch may have more dynamic shared memory than CUDA gives without being asked. The value is always the most, so
// that launches from several threads do not change each other's.
CUresult allow_most_shared_memory(const toolchain::Driver& driver, CUfunction function) {
  return driver.api().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         most_shared_bytes(driver, function));
}

unsigned long long count(const Dim3& size) {
  return 1ull * size.x * size.y * size.z;
}

// Throws Error(InvalidArgument).
void check_size(const KernelEntry& entry, const KernelLaunch& how) {
  if (count(how.grid) == 0 || count(how.block) == 0)
    refuse(base::format("the launch of {} has {} thread blocks of {} threads", entry.name, count(how.grid),
                        count(how.block)),
           "Launch nothing if there is nothing to do.");
}

}  // namespace

Options own_kernel_options(const std::shared_ptr<Engine::Impl>& engine, const KernelCode& code,
                           const KernelCallbacks& callbacks, const Options& options) {
  const auto refuse_option = [](bool is_set, const char* option, const char* remedy) {
    if (is_set) refuse(base::format("own kernels have no {}", option), remedy);
  };
  refuse_option(!options.entry.empty(), "Options::entry",
                "Name the kernels by KernelCode::with_entry, and a callback's function by Callback::with_entry.");
  refuse_option(!options.baked_state.empty(), "Options::baked_state", "Pass the state to the kernel.");
  refuse_option(options.shared_bytes != 0, "Options::shared_bytes", "Give KernelLaunch::shared_bytes.");
  refuse_option(!families::names_of(options.policy).empty(), "Options::policy", "The kernel and its launch decide.");
  const Route route = options.routes.required.value_or(Route::Lto);
  if (route == Route::Host || route == Route::Indirect)
    fail(ErrorCode::RouteUnavailable,
         route == Route::Host ? "own kernels have no host route: graft cannot run a kernel's threads on the CPU"
                              : "own kernels have no indirect route: their slots are functions, and no pointers",
         "Leave Options::routes as it is, or require Route::Program or Route::Ptx (docs/kernels.md).");
  // The closed mode trusts the author of the code, and not those of the callbacks.
  std::vector<Callback> checked;
  for (const SlotCallback& one : callbacks.slots) checked.push_back(one.callback);
  Options taken = engine::TakenOptions(checked, options, &engine->logger()).get();
  if (options.closed)
    for (const Callback& callback : checked)
      engine::told_if_it_fails(engine->logger(), callback.name(), [&] { own_kernels::check_closed_text(callback); });
  // There, a bound of the callbacks' own is kept by the build (routes/slot_route.cpp).
  taken.max_registers = options.max_registers;
  taken.headers.insert(taken.headers.end(), code.headers().begin(), code.headers().end());
  return taken;
}

namespace {

// Says which limit of the kernel the launch does not keep, if it is one of its own.
[[noreturn, gnu::cold]] void fail_launch(const KernelEntry& entry, const KernelLaunch& how,
                                         const toolchain::Driver& driver, CUfunction function, CUresult result,
                                         const std::vector<ToolVersion>& versions) {
  const int threads = attribute_of(driver, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  const int shared = most_shared_bytes(driver, function);
  std::string limit;
  if (threads > 0 && count(how.block) > static_cast<unsigned long long>(threads))
    limit = base::format("; a thread block of it has at most {} threads, by its launch bounds and its {} registers",
                         threads, attribute_of(driver, function, CU_FUNC_ATTRIBUTE_NUM_REGS));
  else if (how.shared_bytes > static_cast<std::uint32_t>(std::max(shared, 0)))
    limit = base::format("; a thread block of it has at most {} bytes of dynamic shared memory on this device", shared);
  fail(ErrorCode::LaunchFailed,
       base::format("{} with {} x {} x {} thread blocks of {} x {} x {} threads and {} bytes of dynamic shared memory "
                    "was not launched: {}{}",
                    entry.name, how.grid.x, how.grid.y, how.grid.z, how.block.x, how.block.y, how.block.z,
                    how.shared_bytes, driver.describe(result), limit),
       "Compare the launch with the kernel's launch bounds and the device's limits. The stream must be of the current "
       "context, and no earlier work in it may have failed.",
       {}, versions);
}

}  // namespace

// ---- KernelCode ----

KernelCode::KernelCode(const char* source) : KernelCode(Callback::source(source, "kernel.cu")) {}
KernelCode::KernelCode(std::string source) : KernelCode(Callback::source(std::move(source), "kernel.cu")) {}
KernelCode KernelCode::source(std::string text, std::string name) {
  return KernelCode(Callback::source(std::move(text), std::move(name)));
}
KernelCode KernelCode::ltoir(std::span<const std::byte> bytes, std::string name) {
  return KernelCode(Callback::ltoir(bytes, std::move(name)));
}
KernelCode KernelCode::fatbin(std::span<const std::byte> bytes, std::string name) {
  return KernelCode(Callback::fatbin(bytes, std::move(name)));
}
KernelCode KernelCode::ptx(std::string text, std::string name) {
  return KernelCode(Callback::ptx(std::move(text), std::move(name)));
}
KernelCode KernelCode::object(std::span<const std::byte> cubin, std::string name) {
  return KernelCode(Callback::object(cubin, std::move(name)));
}

KernelCode KernelCode::file(const std::filesystem::path& path) {
  CallbackFile read = read_callback_file(path, "kernel");
  if (read.form == Form::Pack) return pack(base::as_bytes(read.bytes), path.string());
  if (read.form == Form::Nvvm)
    refuse(base::format("{} is {}, and a kernel's code is source, LTO-IR, a fatbin, PTX, a cubin or a pack",
                        path.string(), graft::name(read.form)),
           "Compile the kernel by nvcc -fatbin -rdc=true -gencode arch=compute_90,code=lto_90.");
  const Callback code = Callback::made_of(read.form, std::move(read.bytes), path.string());
  return KernelCode(read.form == Form::Source ? code.with_folder(base::folder_of(path.string())) : code);
}

KernelCode KernelCode::with_entry(std::string entry) const {
  if (entry.empty()) refuse("the name of a kernel is empty", "Give a name such as \"spmv<float, 8>\".");
  KernelCode copy = *this;
  copy.entries_.push_back(std::move(entry));
  return copy;
}
KernelCode KernelCode::with_default(std::string slot, const Callback& callback) const {
  KernelCode copy = *this;
  copy.defaults_.push_back({std::move(slot), callback});
  return copy;
}
KernelCode KernelCode::with_optional(std::string slot, std::string constant) const {
  KernelCode copy = *this;
  copy.optionals_.push_back({std::move(slot), std::move(constant)});
  return copy;
}
KernelCode KernelCode::with_inlining(std::string slot, Inlining inlining) const {
  KernelCode copy = *this;
  copy.wishes_.push_back({std::move(slot), inlining});
  return copy;
}

KernelCode KernelCode::with_constant(std::string constant, std::vector<std::int64_t> values) const {
  if (values.empty())
    refuse(base::format("the constant {} has no value", constant), "Give the default value, and further ones.");
  KernelCode copy = *this;
  copy.constants_.push_back({std::move(constant), std::move(values)});
  return copy;
}
KernelCode KernelCode::with_header(std::string name, std::string text) const {
  KernelCode copy = *this;
  copy.headers_.push_back({std::move(name), std::move(text)});
  return copy;
}
KernelCode KernelCode::with_thread_words(std::string slot) const {
  KernelCode copy = *this;
  copy.thread_words_.push_back(std::move(slot));
  return copy;
}

KernelCode KernelCode::with_code(const Callback& code) const {
  KernelCode copy = *this;
  copy.code_ = code;
  return copy;
}
KernelCode KernelCode::with_folder(const std::filesystem::path& folder) const {
  return with_code(code_.with_folder(folder));
}
KernelCode KernelCode::with_floating_point(const FloatingPoint& floating_point) const {
  return with_code(code_.with_floating_point(floating_point));
}
KernelCode KernelCode::with_link_input(const Callback& binary) const {
  return with_code(code_.with_link_input(binary));
}

// ---- without a GPU ----

KernelShape describe(const KernelCode& code, Architecture architecture, const Options& options) {
  return describe(Engine::shared(), code, architecture, options);
}

KernelShape describe(Engine& engine, const KernelCode& code, Architecture architecture, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  const JobKernels kernels(families::job_of_own_kernels(code, {}));
  return impl->describe_slots(kernels.kernels_for(architecture).schedule.kernels.front(), architecture,
                              own_kernel_options(impl, code, {}, options));
}

Image build(const KernelCode& code, const KernelCallbacks& callbacks, Architecture architecture,
            const Options& options) {
  return build(Engine::shared(), code, callbacks, architecture, options);
}

Image build(Engine& engine, const KernelCode& code, const KernelCallbacks& callbacks, Architecture architecture,
            const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  const JobKernels kernels(families::job_of_own_kernels(code, callbacks));
  return engine::build(impl, kernels, architecture, own_kernel_options(impl, code, callbacks, options)).front();
}

// ---- Kernel ----

Kernel Kernel::create(const KernelCode& code, const KernelCallbacks& callbacks, const Options& options) {
  return create(Engine::shared(), code, callbacks, options);
}

Kernel Kernel::create(Engine& engine, const KernelCode& code, const KernelCallbacks& callbacks,
                      const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  JobKernels kernels(families::job_of_own_kernels(code, callbacks));
  Options taken = own_kernel_options(impl, code, callbacks, options);
  return Kernel(std::make_shared<Impl>(impl, std::move(kernels), std::move(taken)), std::nullopt);
}

Pending<Kernel> Kernel::create_async(const KernelCode& code, const KernelCallbacks& callbacks, const Options& options) {
  return create_async(Engine::shared(), code, callbacks, options);
}

Pending<Kernel> Kernel::create_async(Engine& engine, const KernelCode& code, const KernelCallbacks& callbacks,
                                     const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return run_in_engine<Kernel>(impl, options, [&] {
    JobKernels kernels(families::job_of_own_kernels(code, callbacks));
    Options taken = own_kernel_options(impl, code, callbacks, options);
    return [impl, kernels = std::move(kernels), taken = std::move(taken)] {
      return Kernel(std::make_shared<Impl>(impl, kernels, taken), std::nullopt);
    };
  });
}

Kernel Kernel::entry(std::string_view name) const {
  const std::vector<KernelEntry>& all = impl_->entries;
  const auto found =
      std::ranges::find_if(all, [&](const KernelEntry& one) { return one.name == name || one.symbol == name; });
  if (found != all.end()) return Kernel(impl_, static_cast<std::size_t>(found - all.begin()));
  std::vector<std::string> names;
  for (const KernelEntry& one : all) names.push_back(one.name);
  fail(ErrorCode::NoSuchEntry, base::format("there is no kernel {}: there are {}", name, base::join(names, ", ")),
       "Give one of these names.");
}

std::size_t Kernel::chosen() const {
  if (entry_) return *entry_;
  if (impl_->entries.size() == 1) return 0;
  refuse(base::format("the code has {} kernels", impl_->entries.size()),
         "Choose one: kernel.entry(\"name\").launch(...).");
}

void Kernel::launch_arguments(const KernelLaunch& how, std::span<const KernelArgument> arguments) const {
  const std::size_t number = chosen();
  const KernelEntry& entry = impl_->entries[number];
  own_kernels::check_arguments(entry, impl_->parameters[number], arguments);
  check_size(entry, how);
  void* values[kMostArguments];
  // The driver only reads them.
  for (std::size_t i = 0; i < arguments.size(); ++i) values[i] = const_cast<void*>(arguments[i].bytes);
  const LoadedJob::Target& target = impl_->target(number);
  CUlaunchAttribute attributes[2] = {};
  unsigned attribute_count = 0;
  if (how.cluster) {
    CUlaunchAttribute& attribute = attributes[attribute_count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {how.cluster->x, how.cluster->y, how.cluster->z};
  }
  if (how.cooperative) {
    CUlaunchAttribute& attribute = attributes[attribute_count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
  }
  const CUlaunchConfig config = {.gridDimX = how.grid.x,
                                 .gridDimY = how.grid.y,
                                 .gridDimZ = how.grid.z,
                                 .blockDimX = how.block.x,
                                 .blockDimY = how.block.y,
                                 .blockDimZ = how.block.z,
                                 .sharedMemBytes = how.shared_bytes,
                                 .hStream = how.stream,
                                 .attrs = attributes,
                                 .numAttrs = attribute_count};
  const toolchain::Driver& driver = target.kernel->driver();
  CUresult result = CUDA_SUCCESS;
  if (how.shared_bytes > families::kMostSharedBytes) result = allow_most_shared_memory(driver, target.function);
  if (result == CUDA_SUCCESS) result = driver.api().cuLaunchKernelEx(&config, target.function, values, nullptr);
  if (result != CUDA_SUCCESS) [[unlikely]]
    fail_launch(entry, how, driver, target.function, result, image().report().versions);
}

CUfunc_st* Kernel::function() const {
  return impl_->target(chosen()).function;
}

CUkern_st* Kernel::handle() const {
  const std::size_t entry = chosen();
  return impl_->target(entry).kernel->handle(entry);
}

int Kernel::blocks_per_multiprocessor(const Dim3& block, std::size_t shared_bytes) const {
  const LoadedJob::Target& target = impl_->target(chosen());
  const toolchain::Driver& driver = target.kernel->driver();
  int blocks = 0;
  const CUresult result = driver.api().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, target.function, static_cast<int>(count(block)), shared_bytes);
  if (result != CUDA_SUCCESS)
    fail(ErrorCode::DriverFailed,
         base::format("the driver does not say how many blocks of {} threads fit: {}", count(block),
                      driver.describe(result)),
         "Give a block that the kernel can have.");
  return blocks;
}

KernelAttributes Kernel::attributes() const {
  const LoadedJob::Target& target = impl_->target(chosen());
  const toolchain::Driver& driver = target.kernel->driver();
  const auto get = [&](CUfunction_attribute attribute) { return attribute_of(driver, target.function, attribute); };
  return {
      .max_block_threads = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
      .registers = get(CU_FUNC_ATTRIBUTE_NUM_REGS),
      .static_shared_bytes = static_cast<std::size_t>(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)),
      .most_dynamic_shared_bytes = static_cast<std::size_t>(std::max(most_shared_bytes(driver, target.function), 0)),
      .local_bytes = static_cast<std::size_t>(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES))};
}

void Kernel::prepare(int device) const {
  impl_->job.prepare(launch::CurrentContext(device));
}
void Kernel::prepare_current() const {
  impl_->job.prepare(launch::CurrentContext());
}

DeviceSymbol Kernel::symbol(std::string_view name) const {
  const auto variable = impl_->target(0).kernel->find_variable(name);
  if (!variable)
    fail(ErrorCode::NoSuchSymbol, base::format("the kernel and its callbacks define no variable `{}`", name),
         "Give the name of a __device__ or __constant__ variable, mangled if it is in a namespace. The linker drops a "
         "variable that nothing reads.");
  return {variable->pointer, variable->bytes};
}

const std::vector<KernelEntry>& Kernel::entries() const noexcept {
  return impl_->entries;
}
const Report& Kernel::report() const noexcept {
  return impl_->job.reports().front();
}
const Image& Kernel::image() const noexcept {
  return impl_->job.images().front();
}

}  // namespace graft
