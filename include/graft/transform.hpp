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

// The state of one launch: host bytes, read before the call returns. Made implicitly of a value of the callback's state
// type, which is never converted. It refers to the bytes, so it is for the arguments of a call.
struct StateRef {
  const void* bytes = nullptr;  // null: no state
  ElementType type = {};

  constexpr StateRef() noexcept = default;
  template <class State>
  constexpr StateRef(const State& value) noexcept : bytes(std::addressof(value)), type(element_type<State>()) {}

  // Of a type that is known only at run time: ElementType::named("f32"), ElementType::structure(size, alignment), or
  // *transform.signature().state(). The bytes may lie anywhere; `its_type.size` of them are read.
  constexpr StateRef(const void* first, ElementType its_type) noexcept : bytes(first), type(its_type) {}
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
  alignas(64) std::byte buffer_[4096];  // the largest parameter that a kernel may have
};

// A cheap, copyable handle, safe to use from many threads. The kernel belongs to the engine: destroying a Transform,
// even while its launch is queued or captured in a graph, unloads nothing.
//
// Devices: one Transform serves any of them, of whatever architecture; report() and image() are those of the first.
// Equal requests share one Transform behind their handles, and its report, unless the engine's policy is
// CachePolicy::Off, a header changed while it was built, or the context's device is of another architecture than the
// first. graft keeps each primary context that it prepares retained until the process ends, as the CUDA runtime does.
//
// After cudaDeviceReset, and in every context made anew, execute throws NotPrepared until prepare, prepare_current or
// an equal create was called there; nothing is compiled for that. The callback's variables then have their initial
// values.
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
  // Equal requests share one kernel, and with it the callback's __device__ variables, unless the policy is
  // CachePolicy::Off or a header changed while it was built. Thread-safe. Throws Error.
  static Transform create(const Callback& callback, const Options& options = {});
  static Transform create(Engine& engine, const Callback& callback, const Options& options = {});

  // The same on a thread of the engine's, with the context that is current here. Each Error comes through the future.
  // Wait for it before main returns.
  static std::shared_future<Transform> create_async(const Callback& callback, const Options& options = {});
  static std::shared_future<Transform> create_async(Engine& engine, const Callback& callback,
                                                    const Options& options = {});

  // The same as create, and fails with SignatureMismatch unless the callback has this signature; picks it from an
  // overload set.
  template <class F>
  static Transform create(const Callback& callback, const Options& options = {}) {
    return create(callback.with_signature(Signature::of<F>()), options);
  }

  // Loads an image built before. Its architecture must be one that the device runs. Of the options `devices` and
  // `closed` count; `architecture` and `shared_bytes` must be the image's where they are set; the rest was said when it
  // was built. Throws Error, ImageRefused for an image that graft cannot have made.
  static Transform load(const Image& image, const Options& options = {});
  static Transform load(Engine& engine, const Image& image, const Options& options = {});

  // Queues one launch on `stream` (a CUstream, a cudaStream_t, or what converts to one; null is the legacy default
  // stream) of the current context, and returns. Work is ordered by the stream; the arrays must stay valid until it
  // has run. The state is copied. Never allocates, locks, compiles or synchronises, so it can be captured into a graph
  // from the first call.
  //
  // Checked first: the number of arrays, equal counts, element types, state, alignment of each pointer to its element,
  // and that an output overlaps no other array except exactly in place (same pointer, same element size). A count of 0
  // launches nothing, and pointers are then not looked at. Throws Error: CountMismatch, TypeMismatch, Misaligned,
  // Overlap, NotPrepared, LaunchFailed, or InvalidArgument (a host transform, a null pointer, more than 2^31 - 1
  // blocks).
  //
  // An array that a load or store callback moves may be of any type, length and alignment, and overlap others: only its
  // callback knows what it does there. The count is that of the other arrays; without any, of the first output.
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state = {},
               const CallerInfo& info = {}) const;
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const CallerInfo& info) const {
    execute(stream, in, out, {}, info);
  }

  // The same for arrays whose C++ type says what their elements are: the same checks, in the same words. Templates, so
  // that C++ prefers the functions above where it has ArrayRefs (Inputs and Outputs refuse these in words of graft's).
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const StateRef& state = {},
               const CallerInfo& info = {}) const {
    execute(stream, in.refs(), out.refs(), state, info);
  }
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const CallerInfo& info) const {
    execute(stream, in.refs(), out.refs(), {}, info);
  }

  // Runs a transform of the host route on host memory, before it returns. Safe from many threads.
  void execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state = {}, const CallerInfo& info = {}) const;
  void execute(HostTag, ArrayRefs in, ArrayRefs out, const CallerInfo& info) const { execute(host, in, out, {}, info); }
  template <class = void>
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, const StateRef& state = {},
               const CallerInfo& info = {}) const {
    execute(host, in.refs(), out.refs(), state, info);
  }
  template <class = void>
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, const CallerInfo& info) const {
    execute(host, in.refs(), out.refs(), {}, info);
  }

  // Loads the kernel into the primary context of a device, or into the current context; with none current, into device
  // 0's primary one. Throws Error(NoDevice, ...).
  void prepare(int device);
  void prepare_current();

  const Signature& signature() const noexcept;
  const Report& report() const noexcept;
  const Image& image() const noexcept;

  // The callback's variable of that name, in the current context; transforms that share a kernel share it. Throws
  // Error: NoSuchSymbol, NotPrepared, DriverFailed, InvalidArgument for a host transform.
  DeviceSymbol symbol(std::string_view name) const;

  // What execute would launch, without programmatic launch, which is an attribute of one's own launch. The same checks
  // and errors.
  std::unique_ptr<LaunchParameters> launch_parameters(ArrayRefs in, ArrayRefs out, const StateRef& state = {},
                                                      const CallerInfo& info = {}) const;
  std::unique_ptr<LaunchParameters> launch_parameters(ArrayRefs in, ArrayRefs out, const CallerInfo& info) const {
    return launch_parameters(in, out, {}, info);
  }
  template <class = void>
  std::unique_ptr<LaunchParameters> launch_parameters(const Inputs& in, const Outputs& out, const StateRef& state = {},
                                                      const CallerInfo& info = {}) const {
    return launch_parameters(in.refs(), out.refs(), state, info);
  }
  template <class = void>
  std::unique_ptr<LaunchParameters> launch_parameters(const Inputs& in, const Outputs& out,
                                                      const CallerInfo& info) const {
    return launch_parameters(in.refs(), out.refs(), {}, info);
  }

  class Impl;

 private:
  explicit Transform(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace graft
