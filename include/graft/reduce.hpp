// A Reduce combines the elements of arrays into one result, by callbacks.
//
//     const char* square = "__device__ float square(float x) { return x * x; }";
//     const char* add = "__device__ float add(float a, float b) { return a + b; }";
//     graft::Reduce sum_of_squares = graft::Reduce::create({.map = square, .combine = add});
//     sum_of_squares.execute(stream, x, out);
//
// Callbacks. `A` is the accumulator, any type of 1, 2 or a multiple of 4 bytes up to 64 that is copied by its bytes and
// aligned to at most 16. Elements of arrays have at most 32 bytes, so an accumulator of more needs a map that is no
// chain, and a finish.
//
//     map       A f(T element, U element, ..., const S& state, graft::Index i): a callback of graft::Transform, or a
//               chain, whose result is its only output. Left out: the elements are accumulators.
//     combine   A f(A, A): associative and commutative, as far as the caller cares. No identity is asked for.
//     finish    R f(A, const S& state), or void f(A, T& result, U& result, ...). Left out: the result is the
//               accumulator.
//
// Each source has a namespace of its own, so a struct that several callbacks use is defined in each of them. It must
// have the same size and alignment everywhere. One source with several functions serves too: Callback::with_entry.
//
// Order. The bits of a result depend on the elements and on their number alone. They are the same in each run, on every
// stream, on every GPU and on the host route, whatever the alignment of the arrays is, as far as the callbacks compute
// the same there: with FloatingPoint::contraction off, that holds for integers, comparisons, + - * / and sqrt.
#pragma once

#include <memory>
#include <optional>

#include <graft/arrays.hpp>
#include <graft/callback.hpp>
#include <graft/engine.hpp>
#include <graft/export.hpp>
#include <graft/options.hpp>
#include <graft/report.hpp>
#include <graft/transform.hpp>

struct CUstream_st;

namespace graft {

struct ReduceCallbacks {
  std::optional<Callback> map = {};
  Callback combine;
  std::optional<Callback> finish = {};
};

// A Reduce is a cheap, copyable handle. All its functions may be called from many threads at the same time. Devices,
// contexts, fork and the lifetime of kernels are as for graft::Transform.
class GRAFT_API Reduce {
 public:
  Reduce(const Reduce&) = default;
  Reduce& operator=(const Reduce&) = default;

  // Compiles and loads the kernel, as Transform::create does. Thread-safe. Throws Error: UnsupportedParameter (a
  // callback that does not fit, in words), InvalidArgument (a pack as a callback; options that reductions do not have:
  // entry, baked_state, shared_bytes), and what Transform::create throws.
  static Reduce create(const ReduceCallbacks& callbacks, const Options& options = {});
  static Reduce create(Engine& engine, const ReduceCallbacks& callbacks, const Options& options = {});

  // Queues the reduction on `stream` and returns. The inputs are arrays of the same length, at least one element; each
  // output has one element, and overlaps no other array. There is one launch. It allocates nothing, except that the
  // first call of more than 2,048 groups (docs/reduce.md: 32 KiB of the widest input's elements, if these divide 16
  // bytes) on a stream makes the workspace of this stream, 64 KiB, which lives as long as the Reduce. Calls on several
  // streams may run at the same time. Throws Error: CountMismatch (also for no elements), TypeMismatch, Misaligned,
  // Overlap, InvalidArgument, LaunchFailed, DriverFailed (no memory for the workspace), NotPrepared (also while the
  // stream is being captured, if it has no workspace that the graph can own: see prepare).
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state = {}) const;
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const StateRef& state = {}) const {
    execute(stream, in.refs(), out.refs(), state);
  }

  // Runs a Reduce of the host route (Options::routes.required) on host memory, and returns when it is done.
  void execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state = {}) const;
  template <class = void>
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, const StateRef& state = {}) const {
    execute(host, in.refs(), out.refs(), state);
  }

  // Prepares the primary context of a device, or the current context. Throws what create throws.
  void prepare(int device);
  void prepare_current();

  // Makes the workspace of a stream of the current context. A capture of the stream takes this workspace, which its
  // graph then owns, so call this before each capture. All calls of a capture in one stream share one workspace.
  // Executables of one graph, and graphs that contain it twice, also share it: what shares it must not run at the same
  // time. Thread-safe. Throws what execute throws.
  void prepare(CUstream_st* stream) const;

  const Signature& signature() const noexcept;
  const Report& report() const noexcept;

  struct Impl;

 private:
  explicit Reduce(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace graft
