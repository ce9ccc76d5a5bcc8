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
#include "launch/arguments.hpp"
#include "launch/device.hpp"
#include "launch/host_kernel.hpp"
#include "launch/shape.hpp"

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

  const LaunchShape& shape() const noexcept { return shape_; }
  const std::shared_ptr<const Image::Data>& image() const noexcept { return image_; }
  const HostKernel* host() const noexcept { return host_.get(); }  // null for a GPU's

  // The rest is for GPU kernels alone.

  const toolchain::Driver& driver() const noexcept { return *driver_; }

  // Makes the kernel ready in the current context. Throws Error(DriverFailed).
  void prepare_current();

  // The kernel as a function of a context; null when that is not prepared. No lock, no driver call.
  CUfunction function_in(ContextIdentity context) const noexcept {
    for (const Prepared* one = prepared_.load(std::memory_order_acquire); one != nullptr; one = one->next)
      if (one->context == context) return one->function;
    return nullptr;
  }

  // Queues the launch in the current context, whose function is given. The caller has packed the parameter. Throws
  // Error(LaunchFailed).
  void launch(CUfunction function, CUstream stream, Grid grid, void* parameter) const;

  // A variable of the callback in the current context; nothing when it has none of that name. Throws
  // Error(DriverFailed).
  std::optional<Variable> find_variable(std::string_view name) const;

  // Gives the driver's memory back. No launch may follow, and none may be queued.
  void unload() noexcept;

 private:
  // One prepared context. A list, newest first, that only grows: execute walks it without a lock. The driver would find
  // the function of a CUkernel by itself, 40 to 55 ns slower in each launch (two H200 hosts).
  struct Prepared {
    ContextIdentity context;
    CUfunction function;
    const Prepared* next;
  };

  void require(CUresult result, std::string_view what) const;
  CUresult launch_programmatic(CUfunction function, CUstream stream, Grid grid, void** parameters) const;
  [[noreturn]] void fail_launch(CUresult result, Grid grid, const void* parameter) const;

  const toolchain::Driver* driver_;
  std::atomic<const Prepared*> prepared_{nullptr};
  std::unique_ptr<HostKernel> host_;
  LaunchShape shape_;
  std::shared_ptr<const Image::Data> image_;
  CUlibrary library_ = nullptr;
  CUkernel kernel_ = nullptr;
  std::mutex mutex_;
  std::deque<Prepared> all_prepared_;
};

}  // namespace graft::launch
