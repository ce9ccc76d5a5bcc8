#include "cli/array_run.hpp"

#include <bit>
#include <string_view>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "launch/arguments.hpp"
#include "launch/device.hpp"
#include "launch/kernel.hpp"

namespace graft::cli {
namespace {

using toolchain::Driver;

void check(const Driver& driver, CUresult result, std::string_view what) {
  if (result == CUDA_SUCCESS) return;
  fail(ErrorCode::DriverFailed, base::format("{}: {}", what, driver.describe(result)),
       result == CUDA_ERROR_OUT_OF_MEMORY ? "Give smaller arrays, or another device with --device."
                                          : "See what graft doctor says of the device.",
       {}, {{"CUDA driver", driver.version().text()}});
}

class DeviceMemory {
 public:
  DeviceMemory(const Driver& driver, std::size_t bytes) : driver_(driver), bytes_(bytes) {
    if (bytes != 0)
      check(driver, driver.api().cuMemAlloc(&pointer_, bytes), base::format("{} bytes of device memory", bytes));
  }
  ~DeviceMemory() {
    if (pointer_ != 0) driver_.api().cuMemFree(pointer_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* get() const noexcept { return std::bit_cast<void*>(pointer_); }
  void copy_from(const std::byte* host) const {
    if (bytes_ != 0) check(driver_, driver_.api().cuMemcpyHtoD(pointer_, host, bytes_), "an input cannot be copied");
  }
  void copy_to(std::byte* host) const {
    if (bytes_ != 0) check(driver_, driver_.api().cuMemcpyDtoH(host, pointer_, bytes_), "an output cannot be copied");
  }

 private:
  const Driver& driver_;
  CUdeviceptr pointer_ = 0;
  std::size_t bytes_;
};

// The arrays of one run, checked and laid out as the kernel reads them.
struct KernelParameter {
  std::vector<Array> inputs;
  std::vector<Array> outputs;
  alignas(launch::kMaxStateAlignment) std::byte bytes[launch::kMaxParameterBytes];

  // No blocks where there is nothing to do.
  launch::Grid pack(const launch::LaunchShape& shape, const base::Bytes& state) {
    ElementType type = shape.state;  // the bytes were made for it; as many as there are is checked
    type.size = static_cast<std::uint32_t>(state.size());
    const launch::Arguments arguments{inputs, outputs, state.empty() ? nullptr : state.data(), type};
    const std::size_t count = launch::check(shape, arguments);
    return count == 0 ? launch::Grid{} : launch::pack(shape, arguments, count, bytes);
  }
};

}  // namespace

void run_on_host(const Image& image, const ArrayRun& run) {
  const auto kernel = launch::Kernel::load(image.data());
  const Signature& signature = image.signature();
  KernelParameter parameter;
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    parameter.inputs.push_back({const_cast<std::byte*>(run.inputs[i]), run.count, signature.inputs()[i]});
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    parameter.outputs.push_back({run.outputs[i], run.count, signature.outputs()[i]});
  if (parameter.pack(kernel->shape(), run.state).blocks != 0) kernel->host()->run(parameter.bytes, 0, run.count);
}

void run_on_device(const Image& image, int device, const ArrayRun& run) {
  const launch::CurrentContext context(device);
  const auto kernel = launch::Kernel::load(image.data());
  kernel->prepare_current();
  const Driver& driver = kernel->driver();
  const Signature& signature = image.signature();
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  const auto add = [&](std::vector<Array>& arrays, const ElementType& type) -> const DeviceMemory& {
    memory.push_back(std::make_unique<DeviceMemory>(driver, run.count * type.size));
    arrays.push_back({memory.back()->get(), run.count, type});
    return *memory.back();
  };
  KernelParameter parameter;
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    add(parameter.inputs, signature.inputs()[i]).copy_from(run.inputs[i]);
  for (const ElementType& type : signature.outputs()) add(parameter.outputs, type);
  if (const launch::Grid grid = parameter.pack(kernel->shape(), run.state); grid.blocks != 0)
    kernel->launch(kernel->function_in(launch::current_context(driver)), nullptr, grid, 0, parameter.bytes);
  check(driver, driver.api().cuCtxSynchronize(), "the kernel failed");
  for (std::size_t i = 0; i < run.outputs.size(); ++i) memory[run.inputs.size() + i]->copy_to(run.outputs[i]);
}

}  // namespace graft::cli
