// A loaded kernel: an image that the driver (or, for the host route, the process) has loaded, and the contexts in which
// the kernel is ready to run.
//
// A CUkernel belongs to no context, so one load serves all contexts. Preparing a context loads the kernel's code there.
// Without it, the driver would load the code in the first launch, which may happen during stream capture. Destroying a
// Kernel unloads nothing, because its launches may still be queued or captured.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "core/image_data.hpp"
#include "families/call.hpp"
#include "launch/device.hpp"
#include "launch/host_kernel.hpp"

namespace graft::launch {

// Thread-safe.
class Kernel {
 public:
  struct Variable {
    void* pointer = nullptr;
    std::size_t bytes = 0;
  };

  // Throws Error: NoDevice, DriverFailed, ImageRefused (not a kernel that graft made), SystemFailed (a host image).
  static std::shared_ptr<Kernel> load(std::shared_ptr<const Image::Data> image);

  // `driver` is null for a host image.
  Kernel(std::shared_ptr<const Image::Data> image, const toolchain::Driver* driver);
  Kernel(const Kernel&) = delete;  // owns driver handles, and execute reads the list of contexts without a lock
  Kernel& operator=(const Kernel&) = delete;

  const families::Launcher& launcher() const noexcept { return *launcher_; }
  const std::string& name() const noexcept { return image_->kernel().name; }
  const std::shared_ptr<const Image::Data>& image() const noexcept { return image_; }
  const HostKernel* host() const noexcept { return host_.get(); }  // null for a GPU kernel

  // The functions below are for GPU kernels alone.

  const toolchain::Driver& driver() const noexcept { return *driver_; }

  // Makes the kernel ready in the current context. Throws Error(DriverFailed).
  void prepare_current();

  // One prepared context. The list of contexts, newest first, only grows, so execute walks it without a lock. Launching
  // the CUkernel instead of its CUfunction would need no list, but costs 40 to 55 ns more per launch (two H200 hosts).
  struct Prepared {
    ContextIdentity context;
    CUfunction function;
    void* workspace;  // device memory of Launcher::workspace_bytes(); null when that is 0
    const Prepared* next;
  };

  // The kernel in this context; null when the context is not prepared. Takes no lock and makes no driver call.
  const Prepared* prepared_in(ContextIdentity context) const noexcept {
    const Prepared* one = prepared_.load(std::memory_order_acquire);
    while (one != nullptr && one->context != context) one = one->next;
    return one;
  }

  // Queues the launches of the call. `function` is the kernel in the current context. Throws Error(LaunchFailed).
  void launch(CUfunction function, CUstream stream, families::Call& call) const;

  // The callback's variable with this name, in the current context; nothing when the callback does not define it.
  // Throws Error(DriverFailed).
  std::optional<Variable> find_variable(std::string_view name) const;

  // Unloads the kernel and frees its workspaces. No launch may be queued, and none may follow.
  void unload() noexcept;

 private:
  using Launch = families::Call::Launch;

  void require(CUresult result, std::string_view what) const;
  CUresult launch_programmatic(CUfunction function, CUstream stream, const Launch& launch, void** parameters) const;
  [[noreturn]] void fail_launch(CUresult result, const Launch& launch) const;

  const toolchain::Driver* driver_;
  std::atomic<const Prepared*> prepared_{nullptr};
  std::unique_ptr<HostKernel> host_;
  std::shared_ptr<const Image::Data> image_;
  std::unique_ptr<const families::Launcher> launcher_;
  bool can_be_programmatic_ = false;  // the driver supports programmatic launches, in captures too
  CUlibrary library_ = nullptr;
  CUkernel kernel_ = nullptr;
  std::mutex mutex_;
  std::deque<Prepared> all_prepared_;
};

}  // namespace graft::launch
