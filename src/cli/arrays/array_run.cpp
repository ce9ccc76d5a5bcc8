// run_on_device copies arrays through the driver API, because this program does not link the CUDA runtime. RAII objects
// own the device memory and the primary context, because every call between their construction and their destruction
// can throw.
#include "cli/arrays/array_run.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "cli/arrays/packed_bits.hpp"
#include "core/fail.hpp"
#include "graft/engine.hpp"
#include "graft/error.hpp"
#include "graft/transform.hpp"
#include "toolchain/driver.hpp"

namespace graft::cli {
namespace {

using toolchain::Driver;

void check(const Driver& driver, CUresult result, std::string_view what) {
  if (result == CUDA_SUCCESS) return;
  fail(ErrorCode::DriverFailed, base::format("{}: {}", what, driver.describe(result)),
       result == CUDA_ERROR_OUT_OF_MEMORY ? "Give smaller arrays, or choose another device with --device."
                                          : "Run graft doctor to check the device.",
       {}, {{"CUDA driver", driver.version().text()}});
}

class DeviceMemory {
 public:
  DeviceMemory(const Driver& driver, std::size_t bytes) : driver_(driver), bytes_(bytes) {
    if (bytes != 0)
      check(driver, driver.api().cuMemAlloc(&pointer_, bytes),
            base::format("{} bytes of device memory cannot be allocated", bytes));
  }
  ~DeviceMemory() {
    if (pointer_ != 0) driver_.api().cuMemFree(pointer_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* get() const noexcept { return std::bit_cast<void*>(pointer_); }
  void copy_from(const std::byte* host) const {
    if (bytes_ != 0)
      check(driver_, driver_.api().cuMemcpyHtoD(pointer_, host, bytes_), "an array cannot be copied to the device");
  }
  void copy_to(std::byte* host) const {
    if (bytes_ != 0)
      check(driver_, driver_.api().cuMemcpyDtoH(host, pointer_, bytes_), "an output cannot be copied from the device");
  }

 private:
  const Driver& driver_;
  CUdeviceptr pointer_ = 0;
  std::size_t bytes_;
};

// Retains a device's primary context and makes it current. The destructor pops and releases the context.
class PrimaryContext {
 public:
  PrimaryContext(const Driver& driver, int ordinal) : driver_(driver) {
    CUcontext context = nullptr;
    check(driver, driver.api().cuDeviceGet(&device_, ordinal), base::format("there is no device {}", ordinal));
    check(driver, driver.api().cuDevicePrimaryCtxRetain(&context, device_), "the device cannot be used");
    const CUresult pushed = driver.api().cuCtxPushCurrent(context);
    if (pushed != CUDA_SUCCESS) driver.api().cuDevicePrimaryCtxRelease(device_);
    check(driver, pushed, "the device's context cannot be made current");
  }
  ~PrimaryContext() {
    CUcontext popped = nullptr;
    driver_.api().cuCtxPopCurrent(&popped);
    driver_.api().cuDevicePrimaryCtxRelease(device_);
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

 private:
  const Driver& driver_;
  CUdevice device_ = 0;
};

// Returns an engine that searches no cache, because the image is already built.
Engine engine_without_cache() {
  EngineOptions options;
  options.cache.policy = CachePolicy::Off;
  return Engine(std::move(options));
}

// Returns a reference to the state. The size in its type is the number of bytes that the user gave, so that execute can
// check this number against the signature.
StateRef state_ref_of(const Image& image, const base::Bytes& bytes) {
  if (bytes.empty()) return {};
  ElementType type = image.signature().state().value_or(ElementType{});
  type.size = static_cast<std::uint32_t>(bytes.size());
  return {bytes.data(), type};
}

}  // namespace

void run_on_host(const Image& image, const ArrayRun& given) {
  const PackedBits bits(image.signature(), given);
  const ArrayRun& run = bits.packed();
  Engine engine = engine_without_cache();
  const Transform transform = Transform::load(engine, image);
  std::vector<ArrayRef> inputs;
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    inputs.emplace_back(run.inputs[i], run.count, image.signature().inputs()[i]);
  std::vector<ArrayRef> outputs;
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    outputs.emplace_back(run.outputs[i], run.count, image.signature().outputs()[i]);
  transform.execute(host, inputs, outputs, state_ref_of(image, run.state));
  bits.unpack();
}

void run_on_device(const Image& image, int device, const ArrayRun& given) {
  const PackedBits bits(image.signature(), given);
  const ArrayRun& run = bits.packed();
  Engine engine = engine_without_cache();
  Options options;
  options.devices = {device};
  const Transform transform = Transform::load(engine, image, options);
  std::string why;
  const Driver& driver = *Driver::find(why);  // not null, because the kernel was loaded through the driver
  const PrimaryContext context(driver, device);
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  const auto add = [&](std::vector<ArrayRef>& arrays, const ElementType& type) -> const DeviceMemory& {
    memory.push_back(std::make_unique<DeviceMemory>(driver, bytes_in_memory(type, run.count)));
    arrays.emplace_back(memory.back()->get(), run.count, type);
    return *memory.back();
  };
  std::vector<ArrayRef> inputs;
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    add(inputs, image.signature().inputs()[i]).copy_from(run.inputs[i]);
  std::vector<ArrayRef> outputs;
  for (const ElementType& type : image.signature().outputs()) add(outputs, type);
  // In-out arrays are read, and elements that a selective callback leaves alone keep the values that the output has on
  // the host.
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    if (image.signature().is_selective() || std::ranges::count(image.signature().in_outs(), i) != 0)
      memory[run.inputs.size() + i]->copy_from(run.outputs[i]);
  transform.execute(nullptr, inputs, outputs, state_ref_of(image, run.state));
  check(driver, driver.api().cuCtxSynchronize(), "the kernel failed");
  for (std::size_t i = 0; i < run.outputs.size(); ++i) memory[run.inputs.size() + i]->copy_to(run.outputs[i]);
  bits.unpack();
}

}  // namespace graft::cli
