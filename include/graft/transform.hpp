// A Transform is an elementwise kernel made from a callback, loaded and ready to run.
//
//     graft::Transform relu = graft::Transform::create("__device__ float relu(float x) { return x > 0 ? x : 0; }");
//     relu.execute(stream, in, out);
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <graft/arrays.hpp>
#include <graft/callback.hpp>
#include <graft/engine.hpp>
#include <graft/export.hpp>
#include <graft/image.hpp>
#include <graft/options.hpp>
#include <graft/pending.hpp>
#include <graft/report.hpp>

struct CUstream_st;
struct CUfunc_st;

namespace graft {

class LoadedJob;  // internal: the loaded kernels that a Transform is a handle of
class GenericCallback;
class InstanceTypes;

// Describes a `__device__` or `__constant__` variable of the callback by its device address in the current context and
// its size in bytes.
struct DeviceSymbol {
  void* pointer = nullptr;
  std::size_t bytes = 0;
};

// The pointers that a load callback and a store callback receive as `caller_info`. The memory to which they point must
// be accessible from the device until the launch has run.
struct CallerInfo {
  void* load = nullptr;
  void* store = nullptr;
};

// The state of one launch. A value of the callback's state type converts to StateRef. execute refuses a value of any
// other type; if the state is a class, whose name graft does not know, it compares only the sizes. A StateRef keeps a
// pointer to the value, so use it only as a function argument. execute copies the value before it returns.
struct StateRef {
  const void* bytes = nullptr;  // null if the callback takes no state
  ElementType type = {};

  constexpr StateRef() noexcept = default;
  template <class State>
  constexpr StateRef(const State& value) noexcept : bytes(std::addressof(value)), type(element_type<State>()) {}

  // Describes a state whose type is known only at run time. Make the type by ElementType::named("f32"),
  // ElementType::structure(size, alignment), or take *transform.signature().state(). execute reads `its_type.size`
  // bytes of host memory from `first`, which needs no alignment.
  constexpr StateRef(const void* first, ElementType its_type) noexcept : bytes(first), type(its_type) {}
};

// The arguments of one launch, for the kernel node of a graph (CUDA_KERNEL_NODE_PARAMS) or for the caller's own
// cuLaunchKernel. A LaunchParameters can be neither copied nor moved, because `kernel_params` points into the object.
class GRAFT_API LaunchParameters {
 public:
  LaunchParameters(const LaunchParameters&) = delete;
  LaunchParameters& operator=(const LaunchParameters&) = delete;

  CUfunc_st* function = nullptr;  // a CUfunction of the current context
  unsigned int grid = 0;          // thread blocks in x; 0 if the arrays have no elements: launch nothing then
  unsigned int block = 0;         // threads per thread block in x
  unsigned int shared_bytes = 0;  // dynamic shared memory of each thread block
  void* kernel_params[1] = {};    // points to the kernel's only parameter, which is stored in this object

 private:
  friend class Transform;
  LaunchParameters() = default;
  alignas(64) std::byte buffer_[4096];  // the kernel's only parameter, of up to 4,096 bytes
};

// A Transform is a cheap, copyable handle, safe to use from many threads. The engine owns the kernel: destroying a
// Transform never unloads it, even while a launch is queued or captured in a graph.
//
// Devices. One Transform works on several devices, also of different architectures; report() and image() describe the
// kernel for the first of these devices. Two equal requests to create share one transform and its report, with two
// exceptions: the engine's policy is CachePolicy::Off, or the device of the current context has another architecture
// than the first device of the existing transform. graft retains each primary context
// that it prepares until the process ends, as the CUDA runtime does.
//
// cudaDeviceReset. In a context made after a reset, and in every other new context, execute throws NotPrepared until
// prepare, prepare_current or an equal create is called in that context. These three calls compile nothing, and they
// give the callback's __device__ variables their initial values.
//
// fork. CUDA does not work in a child process after its parent used the GPU: execute and symbol then throw NotPrepared,
// and create throws DriverFailed. graft::build and the host route work; engine.hpp has more on fork.
class GRAFT_API Transform {
 public:
  // Every Transform has a kernel. A member that gets its kernel later is a std::optional<graft::Transform>.
  // clang-format off
  Transform() = delete;  // graft: a Transform has a kernel from the start; use std::optional<graft::Transform>
  // clang-format on

  // Transform has no move operations. A move therefore copies, and a moved-from Transform still works.
  Transform(const Transform&) = default;
  Transform& operator=(const Transform&) = default;

  // Does all the work that takes time: compiles, links and loads the kernel, and prepares the primary contexts of
  // options.devices or, if that is empty, the current context. If no context is current, it prepares the primary
  // context of device 0, without making it current. Equal requests share one kernel, and with it the callback's
  // __device__ variables, unless the policy is CachePolicy::Off. Blocks until the kernel is ready. Thread-safe.
  // Throws Error.
  static Transform create(const Callback& callback, const Options& options = {});
  static Transform create(Engine& engine, const Callback& callback, const Options& options = {});

  // Does what create does, on a worker thread of the engine, for the context that is current in the calling thread. The
  // result is a std::shared_future with a function cancel(). If create would throw an Error, the future's get() throws
  // the Error. Wait for the future before main returns: a build that still runs while the process ends could use static
  // objects that are already destroyed. After cancel(), the future is ready before the build has ended; ~Engine waits
  // for the build.
  static Pending<Transform> create_async(const Callback& callback, const Options& options = {});
  static Pending<Transform> create_async(Engine& engine, const Callback& callback, const Options& options = {});

  // Does what create does, for a callback whose signature must be F: create<float(float)>(callback). Of an overload
  // set, this selects the function with the signature F. Throws Error(SignatureMismatch) if the callback has another
  // signature.
  template <class F>
  static Transform create(const Callback& callback, const Options& options = {}) {
    return create(callback.with_signature(Signature::of<F>()), options);
  }

  // Does what create does, for the instance of a template, of a lambda with `auto` parameters or of a formula without
  // types that arrays of these types need (graft/generic.hpp). Any other callback must have these types. Throws
  // Error(SignatureMismatch) if the instance or the callback has others, and what GenericCallback::instance throws.
  //
  //     create("[](auto x) { return x * x; }", graft::types<float>())
  static Transform create(const GenericCallback& callback, const InstanceTypes& types, const Options& options = {});
  static Transform create(Engine& engine, const GenericCallback& callback, const InstanceTypes& types,
                          const Options& options = {});

  // Makes a transform from an image that was built before, and loads the image's kernel. The device must be able to run
  // the image's architecture. load uses only these options: `devices`, `closed` (host images are then refused), and
  // `architecture` and `shared_bytes`, which, if set, must equal the image's. Thread-safe. Throws Error: ImageRefused
  // if the bytes are not an image made by graft, and what create throws for contexts and the driver.
  static Transform load(const Image& image, const Options& options = {});
  static Transform load(Engine& engine, const Image& image, const Options& options = {});

  // Queues one launch on `stream` and returns. `stream` is a CUstream, a cudaStream_t or something that converts to
  // one, of the current context; null is the legacy default stream. The kernel runs in stream order; the arrays must
  // stay valid until it has run. The state is copied before execute returns. execute never allocates, locks, compiles
  // or synchronises, so it can be captured into a graph from the first call on. Thread-safe.
  //
  // Arrays may be views of any shape (graft/view.hpp), which on the GPU may need Options::any_shape, Options::shapes or
  // prepare_shapes; without a kernel for them, execute throws NotPrepared.
  //
  // Before launching, execute checks the number of arrays, their counts (all equal; shapes of views align), the element
  // types, the state, the alignment of each pointer to its element type, and overlap: an output may be exactly in place
  // (same pointer and element size as an input, and for views same shape and strides) and must not overlap any other
  // array. The array of a graft::InOut parameter is given
  // once, among the outputs, and follows the rules of an output. With a count of 0 it launches nothing and ignores the
  // pointers. Throws Error: CountMismatch, TypeMismatch, Misaligned, Overlap, NotPrepared, LaunchFailed, or
  // InvalidArgument (a host transform, a null pointer, more than 2^31 - 1 thread blocks). When execute throws, nothing
  // was launched.
  //
  // An array that a load or store callback accesses may have any type, count and alignment and may overlap others,
  // because only the callback knows which elements it accesses. The count of the launch is the count of the arrays that
  // no load or store callback accesses; if there are no such arrays, it is the count of the first output.
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state = {},
               const CallerInfo& info = {}) const;
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const CallerInfo& info) const {
    execute(stream, in, out, {}, info);
  }

  // Queues one launch of a callback without arrays for `count` elements: execute(stream, graft::count(n), state). The
  // callback is called once for each index from 0 to n - 1, and writes through pointers in its state. Throws like the
  // execute above, and CountMismatch if the callback has arrays.
  void execute(CUstream_st* stream, Count count, const StateRef& state = {}) const;

  // Like execute above, with the same checks and messages, for arrays whose C++ types give the element types. These
  // overloads are templates so that overload resolution prefers the non-templates above for ArrayRefs.
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const StateRef& state = {},
               const CallerInfo& info = {}) const {
    execute(stream, in.refs(), out.refs(), state, info);
  }
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const CallerInfo& info) const {
    execute(stream, in.refs(), out.refs(), {}, info);
  }

  // Runs a transform of the host route on host memory, and returns when it is done. The checks and errors are those of
  // execute on a stream, except that execute on a stream refuses a host transform with InvalidArgument, and this
  // execute refuses a transform for the GPU. Thread-safe.
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

  void execute(HostTag, Count count, const StateRef& state = {}) const;

  // Arguments that fit none of the functions above end here, so that the compiler shows this line and not a list of
  // candidates.
  // clang-format off
  void execute(...) const = delete;  // graft: execute takes (stream or graft::host, inputs, outputs, state)
  // clang-format on

  // Loads the kernel into the primary context of a device, or into the current context (if none is current, into the
  // primary context of device 0). If the transform has no kernel for the device's architecture yet, prepare finds this
  // kernel in the cache or builds it. Thread-safe. Throws Error: NoDevice, and what create throws.
  void prepare(int device);
  void prepare_current();

  // Makes the kernel that serves calls with arrays of these shapes best, in the current context, if it is not there
  // yet. execute then uses it, also for other extents, strides and pointers of the same kind: a kernel is made for the
  // way in which arrays lie (graft/view.hpp), not for numbers. Give arrays as execute takes them; their memory is not
  // looked at, so pointers may be null. The kernel is found in the cache or built, as by create; other contexts get it
  // by prepare. All transforms that share the kernel of create get it, and their calls are not disturbed, but symbol
  // then refuses variables, because each kernel has its own. On the host route, where every shape is served, it only
  // checks the shapes. Blocks until the kernel is ready. Thread-safe. Throws Error: CountMismatch, TypeMismatch (also
  // for bit arrays beside views), InvalidArgument or Overlap for the arrays; InvalidArgument for a transform of an
  // image, which holds no such kernel; and what create throws. For a pack it makes the kernel of Options::any_shape, or
  // refuses it (RouteUnavailable).
  void prepare_shapes(ArrayRefs in, ArrayRefs out);
  template <class = void>
  void prepare_shapes(const Inputs& in, const Outputs& out) {
    prepare_shapes(in.refs(), out.refs());
  }

  // Says in one line how calls with arrays of these shapes are served in the current context, or on the host: the rank
  // of the call, before and after dimensions that lie in memory like one are merged; how each array lies along the
  // innermost; the kernel that serves it; and the kernel that would be fastest, if it is another, which prepare_shapes
  // makes. Pointers may be null. Throws Error as prepare_shapes does for arrays, and NotPrepared.
  std::string describe_shapes(ArrayRefs in, ArrayRefs out) const;
  template <class = void>
  std::string describe_shapes(const Inputs& in, const Outputs& out) const {
    return describe_shapes(in.refs(), out.refs());
  }

  const Signature& signature() const noexcept;
  const Report& report() const noexcept;
  // The reports of the kernels that create made at the same time: that of report(), and those for arrays of other
  // shapes. Kernels that are made later have none here.
  const std::vector<Report>& reports() const noexcept;
  const Image& image() const noexcept;

  // Returns the callback's `__device__` or `__constant__` variable with this name, in the current context. Transforms
  // that share a kernel share its variables. Throws Error: NoSuchSymbol, NotPrepared, DriverFailed, or InvalidArgument
  // for a host transform, and for one with kernels for several shapes, each of which has the variable.
  DeviceSymbol symbol(std::string_view name) const;

  // Returns the launch that execute would queue, after the same checks and with the same errors. The result does not
  // contain programmatic dependent launch, which is not a parameter of a launch but an attribute; the caller may set
  // this attribute.
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

  std::unique_ptr<LaunchParameters> launch_parameters(Count count, const StateRef& state = {}) const;
  // clang-format off
  void launch_parameters(...) const = delete;  // graft: launch_parameters takes (inputs, outputs, state)
  // clang-format on

 private:
  explicit Transform(std::shared_ptr<LoadedJob> job) : job_(std::move(job)) {}
  template <class Arguments>
  std::unique_ptr<LaunchParameters> describe_launch(const Arguments& arguments) const;
  std::shared_ptr<LoadedJob> job_;
};

}  // namespace graft
