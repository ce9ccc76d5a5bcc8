// Loads an image with cuLibraryLoadData. Launches the kernel with cuLaunchKernel, or with cuLaunchKernelEx if the
// launch uses programmatic stream serialization.
#include "launch/kernel.hpp"

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
std::unique_ptr<const families::Launcher> launcher_of(const KernelSpec& kernel) {
  if (const std::string why = families::objection_to(kernel); !why.empty())
    fail(ErrorCode::ImageRefused, base::format("{} is not a kernel that graft made: {}", kernel.name, why),
         "Give an image as graft::build made it.");
  return families::of(kernel.family).launcher(kernel);
}

}  // namespace

std::shared_ptr<Kernel> Kernel::load(std::shared_ptr<const Image::Data> image) {
  const toolchain::ProfileRange range("graft: load");
  const Driver* driver = image->kernel().route == Route::Host ? nullptr : &launch::driver();
  return std::make_shared<Kernel>(std::move(image), driver);
}

Kernel::Kernel(std::shared_ptr<const Image::Data> image, const Driver* driver)
    : driver_(driver), image_(std::move(image)), launcher_(launcher_of(image_->kernel())) {
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
  const CUresult result = api.cuLibraryGetKernel(&kernel_, library_, name().c_str());
  if (result != CUDA_SUCCESS) unload();
  require(result, "is not in its image");
}

Kernel::~Kernel() {
  for (DeviceMemory& workspace : workspaces_) workspace.leave_allocated();
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

void Kernel::prepare_current() {
  const std::lock_guard lock(mutex_);
  const ContextIdentity context = current_context(*driver_);
  if (prepared_in(context) != nullptr) return;
  CUfunction function = nullptr;
  require(driver_->api().cuKernelGetFunction(&function, kernel_), "cannot be used in this context");
  require(load_code(function), "cannot be prepared in this context");
  // CUDA gives a kernel more shared memory than kMostSharedBytes only if it asks for it.
  if (const std::uint32_t bytes = launcher_->most_shared_bytes(); bytes > families::kMostSharedBytes)
    require(driver_->api().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(bytes)),
            "cannot have its shared memory in this context");
  DeviceMemory workspace;
  if (const std::size_t bytes = launcher_->workspace_bytes(); bytes != 0) {
    CUresult result = CUDA_SUCCESS;
    workspace = DeviceMemory(*driver_, bytes, result);
    require(result, "cannot allocate its workspace");
  }
  if (const std::span<const std::byte> constants = launcher_->constants(); !constants.empty())
    require(
        driver_->api().cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(workspace.get()), constants.data(), constants.size()),
        "cannot fill its workspace");
  workspaces_.push_back(std::move(workspace));
  all_prepared_.push_back({context, function, workspaces_.back().get(), prepared_.load(std::memory_order_relaxed)});
  prepared_.store(&all_prepared_.back(), std::memory_order_release);
}

CUresult Kernel::load_code(CUfunction function) const {
  const auto& api = driver_->api();
  if (api.cuFuncLoad != nullptr) return api.cuFuncLoad(function);
  int ignored = 0;
  return api.cuFuncGetAttribute(&ignored, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
}

void Kernel::launch(CUfunction function, CUstream stream, families::Call& call) const {
  for (unsigned i = 0; i < call.count; ++i) {
    const Launch& launch = call.launches[i];
    void* parameters[] = {call.parameters + launch.parameter};
    const CUresult result = launch.programmatic && can_be_programmatic_
                                ? launch_programmatic(function, stream, launch, parameters)
                                : driver_->api().cuLaunchKernel(function, launch.grid.blocks, 1, 1, launch.grid.threads,
                                                                1, 1, launch.shared_bytes, stream, parameters, nullptr);
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail_launch(result, launch);
  }
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
       base::format("{} over {} elements ({} blocks of {} threads) was not launched: {}", name(), launch.items,
                    launch.grid.blocks, launch.grid.threads, driver_->describe(result)),
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
  prepared_.store(nullptr);
  all_prepared_.clear();
  workspaces_.clear();
  library_ = nullptr;
  kernel_ = nullptr;
}

}  // namespace graft::launch
