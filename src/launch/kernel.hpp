// A Kernel is a loaded image, with the list of the CUDA contexts in which it is ready to run. The driver loads an image
// for the GPU. The process itself loads a host image, which runs on the CPU.
//
// A CUkernel belongs to no context, so one load serves all contexts. Preparing a context loads the kernel's code into
// the context. In an unprepared context, the driver would load the code during the first launch, which may happen
// during stream capture. The destructor of Kernel unloads and frees nothing, because launches of the kernel may still
// be queued or captured in a graph.
#pragma once

#include <atomic>
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
  // Not copyable, because a Kernel owns driver handles, and Transform::execute reads its list of contexts without a
  // lock.
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const families::Launcher& launcher() const noexcept { return *launcher_; }
  const std::string& name() const noexcept { return image_->kernel().name; }
  const std::shared_ptr<const Image::Data>& image() const noexcept { return image_; }
  // The kernel of a host image. Null for a GPU kernel.
  const HostKernel* host() const noexcept { return host_.get(); }

  // The functions from here on are for GPU kernels only.

  const toolchain::Driver& driver() const noexcept { return *driver_; }

  // Prepares the kernel in the current context. Throws Error(DriverFailed).
  void prepare_current();

  // A context in which the kernel is prepared. These objects form a list, the newest first. The list only grows, so
  // Transform::execute walks it without a lock. The list exists because each context has another CUfunction. The
  // CUkernel is the same in all contexts and could be launched without a list, but such a launch takes 40 to 55 ns
  // longer (two H200 hosts).
  struct Prepared {
    ContextIdentity context;
    CUfunction function;
    // The memory that a launch needs besides the caller's arrays, Launcher::workspace_bytes() bytes on the device. Null
    // when that is 0 bytes.
    void* workspace;
    const Prepared* next;
  };

  // Returns the kernel as it was prepared in this context, or null when it was not prepared there. Takes no lock and
  // makes no driver call.
  const Prepared* prepared_in(ContextIdentity context) const noexcept {
    const Prepared* one = prepared_.load(std::memory_order_acquire);
    while (one != nullptr && one->context != context) one = one->next;
    return one;
  }

  // Queues the launches of `call` in `stream`. `function` is the handle of the kernel in the current context
  // (Prepared::function). Throws Error(LaunchFailed).
  void launch(CUfunction function, CUstream stream, families::Call& call) const;

  // Finds a variable of the callback by its name, in the current context. Returns nothing when the callback does not
  // define the variable. Throws Error(DriverFailed).
  std::optional<Variable> find_variable(std::string_view name) const;

  // Unloads the kernel and frees its workspaces. Call it only when no launch is queued and no launch will follow.
  void unload() noexcept;

 private:
  using Launch = families::Call::Launch;

  void require(CUresult result, std::string_view what) const;
  // Loads the kernel's code into the current context, also if the driver loads code lazily. Drivers before CUDA 12.4
  // have no function for this. They load the code when they are asked for an attribute that depends on it.
  CUresult load_code(CUfunction function) const;
  CUresult launch_programmatic(CUfunction function, CUstream stream, const Launch& launch, void** parameters) const;
  [[noreturn]] void fail_launch(CUresult result, const Launch& launch) const;

  const toolchain::Driver* driver_;
  std::atomic<const Prepared*> prepared_{nullptr};
  std::unique_ptr<HostKernel> host_;
  std::shared_ptr<const Image::Data> image_;
  std::unique_ptr<const families::Launcher> launcher_;
  // True when the driver can capture programmatic launches into graphs. A kernel that is launched in this way may begin
  // before the previous kernel in the stream ends (Launch::programmatic).
  bool can_be_programmatic_ = false;
  CUlibrary library_ = nullptr;
  CUkernel kernel_ = nullptr;
  std::mutex mutex_;
  std::deque<Prepared> all_prepared_;
  std::vector<DeviceMemory> workspaces_;  // of all_prepared_
};

}  // namespace graft::launch
