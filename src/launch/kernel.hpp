// A loaded kernel: an image given to the driver (or, for the host route, to the process), and the contexts in which it
// is ready to run.
//
// The driver's CUkernel belongs to no context, so one load serves them all; preparing a context moves the kernel's code
// there now, because the driver would otherwise do so in the first launch, which may be under capture. Destroying a
// Kernel unloads nothing: its launches may be queued or captured.
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

  // Throws Error: NoDevice, DriverFailed.
  static std::shared_ptr<Kernel> load(std::shared_ptr<const Image::Data> image);

  // `driver` is null for a host image.
  Kernel(std::shared_ptr<const Image::Data> image, const toolchain::Driver* driver);
  Kernel(const Kernel&) = delete;  // the driver's handles, and what execute reads without a lock
  Kernel& operator=(const Kernel&) = delete;

  const families::Launcher& launcher() const noexcept { return *launcher_; }
  const std::string& name() const noexcept { return image_->kernel().name; }
  const std::shared_ptr<const Image::Data>& image() const noexcept { return image_; }
  const HostKernel* host() const noexcept { return host_.get(); }  // null for a GPU's

  // The rest is for GPU kernels alone.

  const toolchain::Driver& driver() const noexcept { return *driver_; }

  // Makes the kernel ready in the current context. Throws Error(DriverFailed).
  void prepare_current();

  // One prepared context. A list, newest first, that only grows: execute walks it without a lock. The driver would find
  // the function of a CUkernel by itself, 40 to 55 ns slower in each launch (two H200 hosts).
  struct Prepared {
    ContextIdentity context;
    CUfunction function;
    void* workspace;  // of the launcher's size; null where that is 0
    const Prepared* next;
  };

  // The kernel in a context; null when that is not prepared. No lock, no driver call.
  const Prepared* prepared_in(ContextIdentity context) const noexcept {
    const Prepared* one = prepared_.load(std::memory_order_acquire);
    while (one != nullptr && one->context != context) one = one->next;
    return one;
  }

  // Queues the launches in the current context, whose function is given. Throws Error(LaunchFailed).
  void launch(CUfunction function, CUstream stream, families::Call& call) const;

  // A variable of the callback in the current context; nothing when it has none of that name. Throws
  // Error(DriverFailed).
  std::optional<Variable> find_variable(std::string_view name) const;

  // Gives the driver's memory back. No launch may follow, and none may be queued.
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
  bool can_be_programmatic_ = false;  // the driver takes such launches
  CUlibrary library_ = nullptr;
  CUkernel kernel_ = nullptr;
  std::mutex mutex_;
  std::deque<Prepared> all_prepared_;
};

}  // namespace graft::launch
