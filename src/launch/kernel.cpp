// Loads an image with cuLibraryLoadData. Launches the kernel with cuLaunchKernel, or with cuLaunchKernelEx if the
// launch uses programmatic stream serialization.
#include "launch/kernel.hpp"

#include <algorithm>
#include <string>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "families/kernel_check.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "toolchain/profile_range.hpp"

namespace graft::launch {
namespace {

using toolchain::Driver;

bool is_wrong_image(CUresult result) {
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
         result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

// Returns the versions of the tools that made the image and of the driver that loads it, for an error's report.
std::vector<ToolVersion> versions_of(const Report& report, const Driver& driver) {
  std::vector<ToolVersion> versions = report.versions;
  versions.push_back({"CUDA driver", driver.version().text()});
  return versions;
}

// Checks the kernel's description before other code relies on it, because a caller can construct an Image from
// arbitrary data.
void check(const KernelSpec& kernel) {
  if (const std::string why = families::objection_to(kernel); !why.empty())
    fail(ErrorCode::ImageRefused, base::format("{} is not a kernel that graft made: {}", kernel.name, why),
         "Give an image as graft::build made it.");
}

}  // namespace

std::shared_ptr<Kernel> Kernel::load(std::shared_ptr<const Image::Data> image) {
  const toolchain::ProfileRange range("graft: load");
  const Driver* driver = image->kernel().route == Route::Host ? nullptr : &launch::driver();
  return std::make_shared<Kernel>(std::move(image), driver);
}

Kernel::Kernel(std::shared_ptr<const Image::Data> image, const Driver* driver)
    : driver_(driver), image_(std::move(image)) {
  const KernelSpec& spec = image_->kernel();
  check(spec);
  // A programmatic launch (programmatic stream serialization) lets a kernel begin before the previous kernel in the
  // stream ends. Drivers older than CUDA 12.3 cannot capture such a launch into a graph.
  constexpr Version kCapturesProgrammatic{12, 3};
  can_be_programmatic_ = driver_ != nullptr && driver_->version() >= kCapturesProgrammatic;
  if (driver_ == nullptr) {
    host_ = std::make_unique<HostKernel>(image_->bytes);
    return;
  }
  const auto& api = driver_->api();
  require(api.cuLibraryLoadData(&library_, image_->bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cannot be loaded");
  std::vector<std::string> entries = {spec.name};
  entries.insert(entries.end(), spec.further_entries.begin(), spec.further_entries.end());
  for (const std::string& entry : entries) {
    const CUresult result = api.cuLibraryGetKernel(&kernels_.emplace_back(), library_, entry.c_str());
    if (result != CUDA_SUCCESS) unload();
    require(result, "is not in its image");
  }
}

Kernel::~Kernel() {
  for (DeviceMemory& constants : constants_) constants.leave_allocated();
}

void Kernel::require(CUresult result, std::string_view what) const {
  if (result == CUDA_SUCCESS) return;
  const Report& report = image_->report;
  fail(ErrorCode::DriverFailed,
       base::format("{}, built for {}, {}: {}", name(), report.kernel.architecture.sm(), what,
                    driver_->describe(result)),
       is_wrong_image(result) ? "Build for this device's architecture, with tools no newer than its driver."
                              : "Check that the device has free memory, and that no earlier work in this context has "
                                "failed.",
       {}, versions_of(report, *driver_));
}

const Kernel::Prepared& Kernel::prepare_current() {
  const std::lock_guard lock(mutex_);
  const ContextIdentity context = current_context(*driver_);
  const auto known = std::ranges::find(prepared_, context, &Prepared::context);
  if (known != prepared_.end()) return *known;
  std::vector<CUfunction> functions;
  for (const CUkernel kernel : kernels_) functions.push_back(function_of(kernel));
  constants_.push_back(copy_constants());
  return prepared_.emplace_back(Prepared{context, std::move(functions), constants_.back().get()});
}

// Returns the function of an entry in the current context, ready to be launched.
CUfunction Kernel::function_of(CUkernel kernel) const {
  CUfunction function = nullptr;
  require(driver_->api().cuKernelGetFunction(&function, kernel), "cannot be used in this context");
  require(load_code(function), "cannot be prepared in this context");
  // CUDA gives a kernel more shared memory than kMostSharedBytes only if it asks for it.
  const KernelSpec& spec = image_->kernel();
  if (const std::uint32_t bytes = families::of(spec.family).most_shared_bytes(spec); bytes > families::kMostSharedBytes)
    require(driver_->api().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(bytes)),
            "cannot have its shared memory in this context");
  return function;
}

DeviceMemory Kernel::copy_constants() const {
  const base::Bytes constants = families::of(image_->kernel().family).constants(image_->kernel());
  if (constants.empty()) return {};
  CUresult result = CUDA_SUCCESS;
  DeviceMemory memory(*driver_, constants.size(), result);
  require(result, "cannot allocate memory for its constants");
  require(driver_->api().cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(memory.get()), constants.data(), constants.size()),
          "cannot copy its constants");
  return memory;
}

CUresult Kernel::load_code(CUfunction function) const {
  const auto& api = driver_->api();
  if (api.cuFuncLoad != nullptr) return api.cuFuncLoad(function);
  int ignored = 0;
  return api.cuFuncGetAttribute(&ignored, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
}

void Kernel::launch(CUfunction function, CUstream stream, const Launch& launch) const {
  void* parameters[] = {launch.parameter};
  const CUresult result = launch.programmatic && can_be_programmatic_
                              ? launch_programmatic(function, stream, launch, parameters)
                              : driver_->api().cuLaunchKernel(function, launch.grid.blocks, 1, 1, launch.grid.threads,
                                                              1, 1, launch.shared_bytes, stream, parameters, nullptr);
  if (result != CUDA_SUCCESS) [[unlikely]]
    fail_launch(result, launch);
}

CUresult Kernel::launch_programmatic(CUfunction function, CUstream stream, const Launch& launch,
                                     void** parameters) const {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  const CUlaunchConfig config = {.gridDimX = launch.grid.blocks,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = launch.grid.threads,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .sharedMemBytes = launch.shared_bytes,
                                 .hStream = stream,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
  return driver_->api().cuLaunchKernelEx(&config, function, parameters, nullptr);
}

[[gnu::cold, gnu::noinline]] void Kernel::fail_launch(CUresult result, const Launch& launch) const {
  fail(ErrorCode::LaunchFailed,
       base::format("{} with {} blocks of {} threads was not launched: {}", name(), launch.grid.blocks,
                    launch.grid.threads, driver_->describe(result)),
       "Check that the stream belongs to the current context, and that no earlier work in this "
       "context has failed.",
       {}, versions_of(image_->report, *driver_));
}

std::optional<Kernel::Variable> Kernel::find_variable(std::string_view name) const {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult result = driver_->api().cuLibraryGetGlobal(&address, &bytes, library_, std::string(name).c_str());
  if (result == CUDA_ERROR_NOT_FOUND) return std::nullopt;
  require(result, "cannot look up a variable");
  // The driver returns device addresses as integers.
  return Variable{reinterpret_cast<void*>(address), bytes};  // NOLINT(performance-no-int-to-ptr)
}

void Kernel::unload() noexcept {
  if (library_ != nullptr) driver_->api().cuLibraryUnload(library_);
  prepared_.clear();
  constants_.clear();
  library_ = nullptr;
  kernels_.clear();
}

}  // namespace graft::launch
