// Devices and contexts, as create and prepare need them.
#pragma once

#include "graft/architecture.hpp"
#include "toolchain/driver.hpp"

namespace graft::launch {

// The driver. Throws Error(NoDevice) when there is none.
const toolchain::Driver& driver();

// Which context is current in this thread: an identity that no other context of the process ever has, even at the same
// address, so that a destroyed context is never mistaken for a new one. One driver call, legal during stream capture.
using ContextIdentity = unsigned long long;
inline constexpr ContextIdentity kNoContext = ~0ull;
ContextIdentity current_context(const toolchain::Driver& driver) noexcept;

// Makes a context current for as long as it lives: the one that is current already, or else a device's primary context,
// which stays retained for the rest of the process, as the CUDA runtime does it.
class CurrentContext {
 public:
  CurrentContext();                      // the current one; device 0's primary one where none is
  explicit CurrentContext(int ordinal);  // that device's primary one
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;  // pops what it pushed, once
  CurrentContext& operator=(const CurrentContext&) = delete;

  Architecture architecture() const;

 private:
  void push_primary_of(int ordinal);
  void push_primary();
  CUdevice device_ = 0;
  bool pushed_ = false;
};

// The calling thread's context, or null: for another thread that is to work in it. Throws nothing: without a driver
// there is none.
CUcontext context_of_this_thread() noexcept;

// Makes another thread's context current for as long as it lives; a null one changes nothing.
class BorrowedContext {
 public:
  explicit BorrowedContext(CUcontext context);
  ~BorrowedContext();
  BorrowedContext(const BorrowedContext&) = delete;  // pops what it pushed, once
  BorrowedContext& operator=(const BorrowedContext&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace graft::launch
