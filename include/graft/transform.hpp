// Transform: a callback made into a kernel that is ready to run.
//
//     graft::Transform relu = graft::Transform::create("__device__ float relu(float x) { return x > 0 ? x : 0; }");
//     relu.execute(stream, in, out);
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <string_view>

#include <graft/arrays.hpp>
#include <graft/callback.hpp>
#include <graft/engine.hpp>
#include <graft/export.hpp>
#include <graft/image.hpp>
#include <graft/options.hpp>
#include <graft/report.hpp>

struct CUstream_st;
struct CUfunc_st;

namespace graft {

namespace launch {
struct Arguments;
}

// A `__device__` or `__constant__` variable of the callback, on the current device.
struct DeviceSymbol {
  void* pointer = nullptr;
  std::size_t bytes = 0;
};

// What a load and a store callback get as `caller_info`: one pointer each, readable on the device.
struct CallerInfo {
  void* load = nullptr;
  void* store = nullptr;
};

// One launch, spelled out for a graph's kernel node (CUDA_KERNEL_NODE_PARAMS) or a launch of one's own. Owns the
// parameter block that `kernel_params` points to, so it neither copies nor moves.
class GRAFT_API LaunchParameters {
 public:
  LaunchParameters(const LaunchParameters&) = delete;
  LaunchParameters& operator=(const LaunchParameters&) = delete;

  CUfunc_st* function = nullptr;  // a CUfunction of the current context
  unsigned int grid = 0;          // blocks in x; 0 when the count is 0, and then nothing is to be launched
  unsigned int block = 0;         // threads in x
  unsigned int shared_bytes = 0;
  void* kernel_params[1] = {};

 private:
  friend class Transform;
  LaunchParameters() = default;
  alignas(64) std::byte buffer_[2560];
};

// A cheap, copyable handle, safe to use from many threads. The kernel belongs to the engine: destroying a Transform,
// even while its launch is queued or captured in a graph, unloads nothing.
//
// Devices: one Transform serves any of them, of whatever architecture; report() and image() are those of the first.
// Equal requests share one Transform behind their handles, and its report.
// graft keeps each primary context that it prepares retained until the process ends, as the CUDA runtime does.
//
// After cudaDeviceReset, and in every context made anew, execute throws NotPrepared until prepare or prepare_current
// was called again; nothing is compiled for that. The callback's variables then have their initial values.
//
// CUDA does not survive fork: in a child, execute and symbol throw NotPrepared and create throws DriverFailed once the
// parent has used the GPU, while graft::build and the host route work. engine.hpp says what else a child may do.
class GRAFT_API Transform {
 public:
  // No move operations: a move is a copy, so that a Transform that was moved from stays what it was.
  Transform(const Transform&) = default;
  Transform& operator=(const Transform&) = default;

  // Does everything that can take time: compiles, links, loads, and prepares the current context (with none current,
  // device 0's primary one, which becomes neither current nor owned by the caller) or those of options.devices.
  // Equal requests share one kernel, and with it the callback's __device__ variables. Thread-safe. Throws Error.
  static Transform create(const Callback& callback, const Options& options = {});
  static Transform create(Engine& engine, const Callback& callback, const Options& options = {});

  // The same on a thread of the engine's, with the context that is current here. Wait for the future before main
  // returns.
  static std::shared_future<Transform> create_async(const Callback& callback, const Options& options = {});
  static std::shared_future<Transform> create_async(Engine& engine, const Callback& callback,
                                                    const Options& options = {});

  // The same as create, and fails with SignatureMismatch unless the callback has this signature; picks it from an
  // overload set.
  template <class F>
  static Transform create(const Callback& callback, const Options& options = {}) {
    return create(callback.with_signature(Signature::of<F>()), options);
  }

  // Loads an image built before. Its architecture must be one that the device runs. Throws Error, ImageRefused for an
  // image that graft cannot have made.
  static Transform load(const Image& image, const Options& options = {});
  static Transform load(Engine& engine, const Image& image, const Options& options = {});

  // Queues one launch on `stream` (a CUstream, a cudaStream_t, or what converts to one; null is the legacy default
  // stream) of the current context, and returns. Work is ordered by the stream; the arrays must stay valid until it
  // has run. Never allocates, locks, compiles or synchronises, so it can be captured into a graph from the first call.
  //
  // Checked first: the number of arrays, equal counts, element types, state, alignment of each pointer to its element,
  // and that an output overlaps no other array except exactly in place (same pointer, same element size). A count of 0
  // launches nothing. Throws Error: CountMismatch, TypeMismatch, Misaligned, Overlap, NotPrepared, LaunchFailed, or
  // InvalidArgument (a host transform, a null pointer, more than 2^31 - 1 blocks).
  //
  // An array that a load or store callback moves may be of any type, length and alignment, and overlap others: only its
  // callback knows what it does there. The count is that of the other arrays; without any, of the first output.
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out) const { launch(stream, in, out, {}); }
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const CallerInfo& info) const {
    launch(stream, in, out, {nullptr, {}, info});
  }

  // With state: copied when execute returns, of the callback's state type, never converted.
  template <class State>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const State& state,
               const CallerInfo& info = {}) const {
    launch(stream, in, out, {&state, element_type<State>(), info});
  }

  // Runs a transform of the host route on host memory, before it returns. Safe from many threads.
  void execute(HostTag, const HostInputs& in, const HostOutputs& out) const { run_on_host(in, out, {}); }
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, const CallerInfo& info) const {
    run_on_host(in, out, {nullptr, {}, info});
  }
  template <class State>
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, const State& state,
               const CallerInfo& info = {}) const {
    run_on_host(in, out, {&state, element_type<State>(), info});
  }

  // Loads the kernel into the primary context of a device, or into the current context. Throws Error(NoDevice, ...).
  void prepare(int device);
  void prepare_current();

  const Signature& signature() const noexcept;
  const Report& report() const noexcept;
  const Image& image() const noexcept;

  // The callback's variable of that name, in the current context; equal transforms share it. Throws Error:
  // NoSuchSymbol, NotPrepared.
  DeviceSymbol symbol(std::string_view name) const;

  // What execute would launch. The same checks and errors.
  std::unique_ptr<LaunchParameters> launch_parameters(const Inputs& in, const Outputs& out) const {
    return describe_launch(in, out, {});
  }
  std::unique_ptr<LaunchParameters> launch_parameters(const Inputs& in, const Outputs& out,
                                                      const CallerInfo& info) const {
    return describe_launch(in, out, {nullptr, {}, info});
  }
  template <class State>
  std::unique_ptr<LaunchParameters> launch_parameters(const Inputs& in, const Outputs& out, const State& state,
                                                      const CallerInfo& info = {}) const {
    return describe_launch(in, out, {&state, element_type<State>(), info});
  }

  class Impl;

 private:
  explicit Transform(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  static std::shared_ptr<Impl> find_or_create(const std::shared_ptr<Engine::Impl>& engine, const Callback& callback,
                                              const Options& options);
  // What a launch is given besides arrays.
  struct Extras {
    const void* state = nullptr;
    ElementType state_type = {};
    CallerInfo info = {};
  };
  static launch::Arguments arguments_of(const detail::Arrays<kMaxInputs>& in, const detail::Arrays<kMaxOutputs>& out,
                                        const Extras& extras);
  void launch(CUstream_st* stream, const Inputs& in, const Outputs& out, const Extras& extras) const;
  void run_on_host(const HostInputs& in, const HostOutputs& out, const Extras& extras) const;
  std::unique_ptr<LaunchParameters> describe_launch(const Inputs& in, const Outputs& out, const Extras& extras) const;
  std::shared_ptr<Impl> impl_;
};

}  // namespace graft
