// CUDA devices and contexts: which context is current, and scopes that make one current while a kernel is loaded or
// prepared.
#pragma once

#include "graft/architecture.hpp"
#include "toolchain/driver.hpp"

namespace graft::launch {

// The CUDA driver. Throws Error(NoDevice) when there is no usable one.
const toolchain::Driver& driver();

// The identity of this thread's current context (cuCtxGetId); kNoContext when there is none. The process never reuses
// an identity, so a new context at the address of a destroyed one is not mistaken for it. One driver call, legal during
// stream capture.
using ContextIdentity = unsigned long long;
inline constexpr ContextIdentity kNoContext = ~0ull;
ContextIdentity current_context(const toolchain::Driver& driver) noexcept;

// Scope in which a context is current: the one that is current already, or a device's primary context. The primary
// context stays retained for the rest of the process, as with the CUDA runtime.
class CurrentContext {
 public:
  CurrentContext();                      // the current context, or device 0's primary one when none is current
  explicit CurrentContext(int ordinal);  // the primary context of this device
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;  // the destructor pops the pushed context once
  CurrentContext& operator=(const CurrentContext&) = delete;

  Architecture architecture() const;

 private:
  void push_primary_of(int ordinal);
  void push_primary();
  CUdevice device_ = 0;
  bool pushed_ = false;
};

// The calling thread's current context, to be passed to another thread (BorrowedContext). Null when there is none, also
// without a driver.
CUcontext context_of_this_thread() noexcept;

// Scope in which another thread's context is current. A null context changes nothing.
class BorrowedContext {
 public:
  explicit BorrowedContext(CUcontext context);
  ~BorrowedContext();
  BorrowedContext(const BorrowedContext&) = delete;  // the destructor pops the pushed context once
  BorrowedContext& operator=(const BorrowedContext&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace graft::launch
