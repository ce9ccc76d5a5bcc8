// A Kernel is a loaded image, with the list of the CUDA contexts in which it is ready to run. The driver loads an image
// for the GPU. The process itself loads a host image, which runs on the CPU.
//
// A CUkernel belongs to no context, so one load serves all contexts. Preparing a context loads the kernel's code into
// the context. In an unprepared context, the driver would load the code during the first launch, which may happen
// during stream capture. The destructor of Kernel unloads and frees nothing, because launches of the kernel may still
// be queued or captured in a graph.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "core/image_data.hpp"
#include "families/call.hpp"
#include "launch/device.hpp"
#include "launch/device_memory.hpp"
#include "launch/host_kernel.hpp"

namespace graft::launch {

// The functions of a Kernel are thread-safe, except unload().
class Kernel {
 public:
  struct Variable {
    void* pointer = nullptr;
    std::size_t bytes = 0;
  };

  // Loads an image. Throws Error: NoDevice, DriverFailed, ImageRefused (the image is not a kernel that graft made),
  // SystemFailed (for a host image: the system has no memory or file for it).
  static std::shared_ptr<Kernel> load(std::shared_ptr<const Image::Data> image);

  // Called by load(). `driver` is null for a host image.
  Kernel(std::shared_ptr<const Image::Data> image, const toolchain::Driver* driver);
  ~Kernel();
  // Not copyable, because a Kernel owns driver handles.
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const std::string& name() const noexcept { return image_->kernel().name; }
  const std::shared_ptr<const Image::Data>& image() const noexcept { return image_; }
  // The kernel of a host image. Null for a GPU kernel.
  const HostKernel* host() const noexcept { return host_.get(); }

  // The functions from here on are for GPU kernels only.

  const toolchain::Driver& driver() const noexcept { return *driver_; }

  // The handle of an entry, which serves every context.
  CUkernel handle(std::size_t entry) const { return kernels_[entry]; }

  // The kernel in one context. Each context has CUfunctions of its own. The CUkernel is the same in all contexts and
  // could be launched in their place, but such a launch takes 40 to 55 ns longer (two H200 hosts).
  struct Prepared {
    ContextIdentity context;
    std::vector<CUfunction> functions;  // KernelSpec::name, then KernelSpec::further_entries
    void* constants;                    // the bytes of Family::constants(), on the device; null if there are none
  };

  // Prepares the kernel in the current context, unless that was done before. The result lives until unload(). Throws
  // Error(DriverFailed).
  const Prepared& prepare_current();

  // Queues a launch in `stream`. `function` is one of Prepared::functions in the current context. Throws
  // Error(LaunchFailed).
  void launch(CUfunction function, CUstream stream, const families::Launch& launch) const;

  // Finds a variable of the callback by its name, in the current context. Returns nothing when the callback does not
  // define the variable. Throws Error(DriverFailed).
  std::optional<Variable> find_variable(std::string_view name) const;

  // Unloads the kernel and frees its constants. Call it only when no launch is queued and no launch will follow.
  void unload() noexcept;

 private:
  using Launch = families::Launch;

  void require(CUresult result, std::string_view what) const;
  // Loads the kernel's code into the current context, also if the driver loads code lazily. Drivers before CUDA 12.4
  // have no function for this. They load the code when they are asked for an attribute that depends on it.
  CUresult load_code(CUfunction function) const;
  CUfunction function_of(CUkernel kernel) const;
  DeviceMemory copy_constants() const;
  CUresult launch_programmatic(CUfunction function, CUstream stream, const Launch& launch, void** parameters) const;
  [[noreturn]] void fail_launch(CUresult result, const Launch& launch) const;

  const toolchain::Driver* driver_;
  std::unique_ptr<HostKernel> host_;
  std::shared_ptr<const Image::Data> image_;
  // True when the driver can capture programmatic launches into graphs. A kernel that is launched in this way may begin
  // before the previous kernel in the stream ends (Launch::programmatic).
  bool can_be_programmatic_ = false;
  CUlibrary library_ = nullptr;
  std::vector<CUkernel> kernels_;  // of the entries
  std::mutex mutex_;
  std::deque<Prepared> prepared_;
  std::vector<DeviceMemory> constants_;  // of prepared_
};

}  // namespace graft::launch
