// A Reduce combines the elements of arrays by callbacks: all of them into one result, or those along some dimensions.
//
//     const char* square = "__device__ float square(float x) { return x * x; }";
//     const char* add = "__device__ float add(float a, float b) { return a + b; }";
//     graft::Reduce sum_of_squares = graft::Reduce::create({.map = square, .combine = add});
//     sum_of_squares.execute(stream, x, out);                                                     // of all elements
//     sum_of_squares.execute(stream, graft::view(x, {m, n}), graft::view(out, {m, 1}));           // of each row
//     sum_of_squares.execute(stream, graft::view(x, {m, n}), graft::view(out, {1, n}));           // of each column
//
// Shapes. The outputs have the extent 1 in the dimensions that are reduced, or lack them in front; all have one shape.
// Inputs repeat as those of transforms do (graft/view.hpp). graft::Index is the row-major index of an element among
// those of its result.
//
// Callbacks. `A` is the accumulator, any type of 1, 2 or a multiple of 4 bytes up to 64 that is copied by its bytes and
// aligned to at most 16. Elements of arrays have at most 32 bytes, so an accumulator of more needs a map that is no
// chain, and a finish.
//
//     map       A f(T element, U element, ..., const S& state, graft::Index i): a callback of graft::Transform, or a
//               chain, that returns a result. Further outputs (V&, graft::InOut<V>) are stored, each in an array of the
//               inputs' length, behind the results; not in calls with views and segments. A map that returns
//               graft::Store, which says whether those of this element are stored, makes the accumulator in its first
//               A&. Left out: the elements are accumulators.
//     combine   A f(A, A): associative and commutative, as far as the caller cares. No identity is asked for.
//     finish    R f(A, const S& state), or void f(A, T& result, U& result, ...). A graft::InOut<T> is read as well:
//               `total += sum`. Left out: the result is the accumulator.
//
// If map and finish both have a state, execute takes a struct with these two as members, that of map first. So does
// Options::bake, which compiles it into the kernels.
//
// Each source has a namespace of its own, so a struct that several callbacks use is defined in each of them. It must
// have the same size and alignment everywhere. One source with several functions serves too: Callback::with_entry.
//
// Order. The bits of a result depend on its elements and on their number alone (docs/reduce.md). They are the same in
// each run, on every stream, on every GPU and on the host route, however the arrays lie in memory, as far as the
// callbacks compute the same there: with FloatingPoint::contraction off, that holds for integers, comparisons, + - * /
// and sqrt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/arrays.hpp>
#include <graft/callback.hpp>
#include <graft/engine.hpp>
#include <graft/export.hpp>
#include <graft/image.hpp>
#include <graft/options.hpp>
#include <graft/pending.hpp>
#include <graft/precompile.hpp>
#include <graft/report.hpp>
#include <graft/transform.hpp>

struct CUstream_st;

namespace graft {

// An accumulator in host memory: any value that is copied by its bytes.
class Accumulator {
 public:
  template <class A>
  requires(!std::is_same_v<A, Accumulator>) Accumulator(const A& value) : type_(element_type<A>()) {
    static_assert(std::is_trivially_copyable_v<A>, "graft: an accumulator is copied by its bytes");
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.assign(bytes, bytes + sizeof(A));
  }
  Accumulator(std::span<const std::byte> bytes, const ElementType& type)
      : bytes_(bytes.begin(), bytes.end()), type_(type) {}

  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  const ElementType& type() const noexcept { return type_; }

 private:
  std::vector<std::byte> bytes_;
  ElementType type_;
};

struct ReduceCallbacks {
  std::optional<Callback> map = {};
  Callback combine;
  std::optional<Callback> finish = {};
  // The accumulator of a result without elements; it is combined with no other. It has exactly the accumulator's type:
  // 0.0f for a float. Left out: such a result is refused, and that of an empty segment is left as it is.
  std::optional<Accumulator> initial = {};
};

// A part of the elements of a reduction over arrays of one dimension: those of whole chunks (docs/reduce.md), so that
// the accumulators of all parts give the bits of one call. A part may be empty.
struct ReduceShard {
  std::uint64_t elements = 0;     // of the whole reduction
  std::uint64_t begin = 0;        // the first element of the part
  std::uint64_t count = 0;        // elements of the part
  std::uint64_t first_chunk = 0;  // where its accumulators are among all
  std::uint64_t chunks = 0;       // how many accumulators it has
  std::uint64_t all_chunks = 0;   // of the whole reduction
};

// A Reduce is a cheap, copyable handle. All its functions may be called from many threads at the same time. Devices,
// contexts, fork and the lifetime of kernels are as for graft::Transform.
class GRAFT_API Reduce {
 public:
  Reduce(const Reduce&) = default;
  Reduce& operator=(const Reduce&) = default;

  // Compiles and loads the kernel for one result of arrays of one dimension, as Transform::create does, and with
  // Options::any_shape or Options::shapes those for views. Thread-safe. Throws Error: UnsupportedParameter (a
  // callback that does not fit, in words), InvalidArgument (a pack as a callback; options that reductions do not have:
  // entry, shared_bytes), and what Transform::create throws.
  static Reduce create(const ReduceCallbacks& callbacks, const Options& options = {});
  static Reduce create(Engine& engine, const ReduceCallbacks& callbacks, const Options& options = {});

  // Does what create does, on a worker thread of the engine, for the context that is current in the calling thread. The
  // future's get() throws the errors of create, and its cancel() gives the work up. Wait for the future before main
  // returns.
  static Pending<Reduce> create_async(const ReduceCallbacks& callbacks, const Options& options = {});
  static Pending<Reduce> create_async(Engine& engine, const ReduceCallbacks& callbacks, const Options& options = {});

  // Makes a reduction that was compiled ahead of time, from the pack that precompile made of it, or from the images of
  // build; both are below. It has the kernels that the pack or the images have. A pack serves the architectures that it
  // was made for, and newer ones; options that it contains must be unset or equal. An image serves its own
  // architecture. A pack of another order (docs/reduce.md) is refused. Throws Error: ImageRefused for bytes that are
  // damaged, for kernels that are not those of one reduction, or if there are none for the device's architecture; and
  // what create throws.
  static Reduce load(std::span<const std::byte> pack, const Options& options = {});
  static Reduce load(Engine& engine, std::span<const std::byte> pack, const Options& options = {});
  static Reduce load(const std::vector<Image>& images, const Options& options = {});
  static Reduce load(Engine& engine, const std::vector<Image>& images, const Options& options = {});

  // Queues the reduction on `stream` and returns. The inputs are arrays of the same length, and each output has one
  // element; or arrays are views. Outputs overlap no other array. A call without results launches nothing; a result
  // without elements needs ReduceCallbacks::initial. Views need Options::any_shape, Options::shapes or prepare_shapes
  // on the GPU, unless there is one result and the arrays lie in memory like one dimension.
  //
  // There is one launch for arrays of one dimension. Views of hundreds of results that are chunks of megabytes take
  // several. execute allocates nothing, except that the first call of more than 2,048 groups for each result
  // (docs/reduce.md: 32 KiB of the widest input's elements, if these divide 16 bytes) on a stream makes the workspace
  // of this stream: 64 KiB, and with kernels for views 1 MiB. It lives as long as the Reduce. Calls on several streams
  // may run at the same time. Throws Error: CountMismatch, TypeMismatch, Misaligned, Overlap, InvalidArgument,
  // LaunchFailed, DriverFailed (no memory for the workspace), NotPrepared (no kernel for these shapes, or the stream is
  // being captured and has no workspace that the graph can own: see prepare).
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state = {}) const;
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const StateRef& state = {}) const {
    execute(stream, in.refs(), out.refs(), state);
  }

  // Runs a Reduce of the host route (Options::routes.required) on host memory, and returns when it is done. Several
  // threads may share the work: Options::host_threads.
  void execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state = {}) const;
  template <class = void>
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, const StateRef& state = {}) const {
    execute(host, in.refs(), out.refs(), state);
  }

  // Arguments that fit none of the functions above end here, so that the compiler shows this line and not a list of
  // candidates.
  // clang-format off
  void execute(...) const = delete;  // graft: execute takes (stream or graft::host, inputs, outputs, state)
  // clang-format on

  // Reduces the elements between each two neighbours of `offsets` to one result: segment s has those from offsets[s] to
  // offsets[s + 1]. The inputs have one dimension and the same length; each output has an element for each segment.
  // Offsets are integers of 4 or 8 bytes, in memory of the inputs' kind. The elements of a segment are one chunk
  // (docs/reduce.md), however many they are. The result of an empty segment is that of the initial accumulator; without
  // one, it is left as it is. Only the host route can check that offsets do not descend; on a GPU, a segment whose
  // offsets descend is empty, and nothing outside of the inputs is read. Needs prepare_segments on a GPU. Throws Error
  // as execute does.
  void execute_segments(CUstream_st* stream, ArrayRefs in, const ArrayRef& offsets, ArrayRefs out,
                        const StateRef& state = {}) const;
  template <class = void>
  void execute_segments(CUstream_st* stream, const Inputs& in, const Inputs& offsets, const Outputs& out,
                        const StateRef& state = {}) const {
    execute_segments(stream, in.refs(), the_one(offsets.refs()), out.refs(), state);
  }
  void execute_segments(HostTag, ArrayRefs in, const ArrayRef& offsets, ArrayRefs out,
                        const StateRef& state = {}) const;
  template <class = void>
  void execute_segments(HostTag, const HostInputs& in, const HostInputs& offsets, const HostOutputs& out,
                        const StateRef& state = {}) const {
    execute_segments(host, in.refs(), the_one(offsets.refs()), out.refs(), state);
  }

  // A reduction over several devices or machines: each makes the accumulators of its part, the caller brings these
  // together in the order of the chunks, and any of them makes the results. The bits are those of one call with all
  // elements, for each number of parts.
  //
  // shard() cuts `elements` into `parts`, as even as chunks allow. Throws Error(InvalidArgument): no such part, or no
  // elements.
  ReduceShard shard(std::uint64_t elements, std::uint32_t part, std::uint32_t parts) const;
  // The size of an accumulator in bytes, of which a part has ReduceShard::chunks.
  std::size_t accumulator_bytes() const noexcept { return signature().accumulator()->size; }
  // Queues the accumulators of a part. The inputs have the elements of the part alone; the map callback gets their
  // indices in the whole. `to` is aligned to 16 bytes, or to the accumulator. Throws Error as execute does, and for a
  // map that stores outputs (InvalidArgument).
  void partials(CUstream_st* stream, ArrayRefs in, const ReduceShard& shard, void* to,
                const StateRef& state = {}) const;
  template <class = void>
  void partials(CUstream_st* stream, const Inputs& in, const ReduceShard& shard, void* to,
                const StateRef& state = {}) const {
    partials(stream, in.refs(), shard, to, state);
  }
  void partials(HostTag, ArrayRefs in, const ReduceShard& shard, void* to, const StateRef& state = {}) const;
  template <class = void>
  void partials(HostTag, const HostInputs& in, const ReduceShard& shard, void* to, const StateRef& state = {}) const {
    partials(host, in.refs(), shard, to, state);
  }
  // Queues the results of the accumulators of all parts. Without elements there are no parts, and `partials` may be
  // null. Throws Error as execute does.
  void finish(CUstream_st* stream, const void* partials, std::uint64_t elements, ArrayRefs out,
              const StateRef& state = {}) const;
  template <class = void>
  void finish(CUstream_st* stream, const void* partials, std::uint64_t elements, const Outputs& out,
              const StateRef& state = {}) const {
    finish(stream, partials, elements, out.refs(), state);
  }
  void finish(HostTag, const void* partials, std::uint64_t elements, ArrayRefs out, const StateRef& state = {}) const;
  template <class = void>
  void finish(HostTag, const void* partials, std::uint64_t elements, const HostOutputs& out,
              const StateRef& state = {}) const {
    finish(host, partials, elements, out.refs(), state);
  }

  // Prepares the primary context of a device, or the current context. Throws what create throws.
  void prepare(int device);
  void prepare_current();

  // Makes the workspace of a stream of the current context. A capture of the stream takes this workspace, which its
  // graph then owns, so call this before each capture. All calls of a capture in one stream share one workspace.
  // Executables of one graph, and graphs that contain it twice, also share it: what shares it must not run at the same
  // time. Thread-safe. Throws what execute throws.
  void prepare(CUstream_st* stream) const;

  // Makes the kernel that serves calls with arrays of these shapes best, as Transform::prepare_shapes does. Pointers
  // may be null. Streams may need a larger workspace then: prepare those that are captured afterwards. Throws Error:
  // CountMismatch, TypeMismatch, InvalidArgument or Overlap for the arrays, InvalidArgument if the reduction was loaded
  // and has no such kernel, and what create throws.
  void prepare_shapes(ArrayRefs in, ArrayRefs out);
  template <class = void>
  void prepare_shapes(const Inputs& in, const Outputs& out) {
    prepare_shapes(in.refs(), out.refs());
  }

  // Makes the kernels for segments, as prepare_shapes does.
  void prepare_segments();

  // Says in one line how calls with arrays of these shapes are served: the results and the elements of each, the kernel
  // that makes them, and the kernel that would be fastest, if it is another. As prepare_shapes otherwise.
  std::string describe_shapes(ArrayRefs in, ArrayRefs out) const;
  template <class = void>
  std::string describe_shapes(const Inputs& in, const Outputs& out) const {
    return describe_shapes(in.refs(), out.refs());
  }

  const Signature& signature() const noexcept;
  const Report& report() const noexcept;

  struct Impl;

 private:
  // Throws Error(InvalidArgument) unless there is one array.
  static const ArrayRef& the_one(ArrayRefs offsets);
  explicit Reduce(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

// Builds the kernels of a reduction for one architecture, without using a GPU: the one for arrays of one dimension, and
// with Options::any_shape or Options::shapes all that there are, also those for segments. Thread-safe. Throws what
// Reduce::create throws for callbacks and tools.
GRAFT_API std::vector<Image> build(const ReduceCallbacks& callbacks, Architecture architecture,
                                   const Options& options = {});
GRAFT_API std::vector<Image> build(Engine& engine, const ReduceCallbacks& callbacks, Architecture architecture,
                                   const Options& options = {});

// Compiles a reduction ahead of time, and returns the bytes of a `.graft` file for Reduce::load. The file is a pack
// with the kernels that build makes (PrecompileFormat::Pack or PackWithCubins; see precompile.hpp), so that no NVRTC is
// needed where it is loaded. Thread-safe. Throws Error: InvalidArgument for other formats, and what build throws.
GRAFT_API std::vector<std::byte> precompile(const ReduceCallbacks& callbacks,
                                            const std::vector<Architecture>& architectures,
                                            PrecompileFormat format = PrecompileFormat::Pack,
                                            const Options& options = {});
GRAFT_API std::vector<std::byte> precompile(Engine& engine, const ReduceCallbacks& callbacks,
                                            const std::vector<Architecture>& architectures,
                                            PrecompileFormat format = PrecompileFormat::Pack,
                                            const Options& options = {});

}  // namespace graft
