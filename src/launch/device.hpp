// CUDA devices and contexts. current_context() and context_of_this_thread() return the thread's current context. An
// object of the class CurrentContext or BorrowedContext makes a context current while a kernel is loaded or prepared.
#pragma once

#include "format/tuning_file.hpp"
#include "graft/architecture.hpp"
#include "toolchain/driver.hpp"

namespace graft::launch {

// Returns the CUDA driver. Throws Error(NoDevice) when there is no usable driver.
const toolchain::Driver& driver();

// Identifies a context (cuCtxGetId). The process never uses an identity twice, so a new context at the address of a
// destroyed context has another identity. current_context() returns the identity of this thread's current context, or
// kNoContext when no context is current. current_context() makes one driver call, which is legal during stream capture.
using ContextIdentity = unsigned long long;
inline constexpr ContextIdentity kNoContext = ~0ull;
ContextIdentity current_context(const toolchain::Driver& driver) noexcept;

// A scope in which a context is current: the context that is current already, or a device's primary context. The
// primary context stays retained for the rest of the process, as with the CUDA runtime.
class CurrentContext {
 public:
  // Uses the current context. If no context is current, makes the primary context of device 0 current.
  CurrentContext();
  // Makes the primary context of this device current.
  explicit CurrentContext(int ordinal);
  ~CurrentContext();
  // Not copyable, because the destructor pops the pushed context once.
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  Architecture architecture() const;
  // Returns the device as tuning files name it. Throws Error(DriverFailed).
  format::TunedGpu gpu() const;

 private:
  void push_primary_of(int ordinal);
  void push_primary();
  CUdevice device_ = 0;
  bool pushed_ = false;
};

// Returns the calling thread's current context, which can be passed to a BorrowedContext in another thread. Returns
// null when no context is current, and when there is no driver.
CUcontext context_of_this_thread() noexcept;

// A scope in which another thread's context is current in this thread. With a null context, the scope changes nothing.
class BorrowedContext {
 public:
  explicit BorrowedContext(CUcontext context);
  ~BorrowedContext();
  // Not copyable, because the destructor pops the pushed context once.
  BorrowedContext(const BorrowedContext&) = delete;
  BorrowedContext& operator=(const BorrowedContext&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace graft::launch
