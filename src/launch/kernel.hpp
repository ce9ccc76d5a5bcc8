// A loaded kernel: an image given to the driver (or, for the host route, to the process), and the contexts in which it
// is ready to run.
//
// The driver's CUkernel belongs to no context, so one load serves them all; preparing a context moves the kernel's code
// there now, because the driver would otherwise do so in the first launch, which may be under capture. Destroying a
// Kernel unloads nothing: its launches may be queued or captured.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "graft/image.hpp"
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
  Kernel(const Kernel&) = delete;  // contexts_ is read without a lock: it must not move
  Kernel& operator=(const Kernel&) = delete;

  const LaunchShape& shape() const noexcept { return shape_; }
  const std::shared_ptr<const Image::Data>& image() const noexcept { return image_; }
  const HostKernel* host() const noexcept { return host_.get(); }  // null for a GPU's

  // The rest is for GPU kernels alone.

  const toolchain::Driver& driver() const noexcept { return *driver_; }

  // Makes the kernel ready in the current context. Throws Error(DriverFailed).
  void prepare_current();

  // Whether that context is prepared. No lock, no driver call.
  bool is_prepared_in(ContextIdentity context) const noexcept;

  // Queues the launch. The caller has packed the parameter and found the current context prepared. Throws
  // Error(LaunchFailed).
  void launch(CUstream stream, unsigned grid, void* parameter) const;

  // The kernel as a function of the current context. Throws Error(DriverFailed).
  CUfunction function_here() const;

  // A variable of the callback in the current context; nothing when it has none of that name. Throws
  // Error(DriverFailed).
  std::optional<Variable> find_variable(std::string_view name) const;

  // Gives the driver's memory back. No launch may follow, and none may be queued.
  void unload() noexcept;

 private:
  void require(CUresult result, std::string_view what) const;
  [[noreturn]] void fail_launch(CUresult result, unsigned grid, const void* parameter) const;

  std::shared_ptr<const Image::Data> image_;
  LaunchShape shape_;
  std::unique_ptr<HostKernel> host_;
  const toolchain::Driver* driver_ = nullptr;
  CUlibrary library_ = nullptr;
  CUkernel kernel_ = nullptr;

  // The prepared contexts. Sixteen are twice the devices of a large host; a seventeenth takes the place of the first,
  // which must then be prepared again.
  static constexpr std::size_t kContexts = 16;
  std::mutex mutex_;
  std::array<std::atomic<ContextIdentity>, kContexts> contexts_;
  std::size_t next_ = 0;
};

}  // namespace graft::launch
