// An Fft is a batch of Fourier transforms of complex or real numbers, of one to three dimensions, with callbacks at
// load and store.
//
//     graft::Fft fft = graft::Fft::create({.length = 4096}, {.load = window, .store = scale});
//     fft.execute(stream, in, out);                                     // forward
//     fft.execute(stream, in, out, graft::Direction::Inverse);          // with the same callbacks
//
// Definition. With w = exp(-2 pi i / N) forward and exp(+2 pi i / N) inverse, as in cuFFT and NumPy:
//
//     X[k] = scale * sum over p from 0 to N - 1 of x[p] * w^(p k)           k from 0 to N - 1, in natural order
//
// Length. N is 1 to 2^27 without prime factors above 31, or any number up to 2^21. One with a larger prime factor is
// computed as a convolution of at least 2 N - 1 points (Bluestein's algorithm), which takes longer, and has no callback
// between. Numbers are float2 (FftPrecision::F32) or double2 (F64), or another complex type, such as std::complex and
// cufftComplex, in arrays that are aligned to 8 or 16 bytes. A struct of two floats or doubles of your own can be the
// type of a load or store callback's point.
//
// Several dimensions. FftPlan::shape in place of a length: FFTs along each dimension, N points in all, which are
// numbered in row-major order. N is up to 2^27. A dimension with a larger prime factor than 31 has at most as many
// points as a convolution in a thread block allows: 8191 (F32) or 4999 (F64) from sm_80 on (docs/fft.md). With a
// callback between, each dimension has a length that one kernel computes (below). Shapes whose points all fit into a
// thread block take one kernel, others one for each dimension or fewer, and one more for a dimension that is longer;
// with a callback between one kernel less than twice as many.
//
// Real numbers. With FftKind::Real, a forward FFT makes the N/2 + 1 frequencies 0 to N/2 of N real numbers (the others
// are their conjugates), and an inverse one makes N real numbers of them. It ignores the imaginary parts of the
// frequencies 0 and, if N is even, N/2, which are zero in the spectrum of real numbers. Of a shape, the last dimension
// has nx/2 + 1 frequencies. Numbers are float or double, in arrays that are aligned to 4 or 8 bytes. N, `offset` and
// `i` below count the elements of the array on the side of a callback: numbers, or frequencies that are there.
//
// Layout. Point p of the FFT with number b of a batch is the element b * distance + p * stride of its array. The input
// and the output have a layout each (FftLaunch::in and out):
//
//     arrays                                                                         layout
//     those of the load callback, or the input of an FFT without one                 in
//     the output, and the further arrays of the store callback                       out
//
// Views. An array may be a graft::view, of which some axes are transformed and the others are the batch
// (FftLaunch::axes); `offset` is then the place in memory, counted from the first element there.
//
// In place. The output may be exactly an array of the load callback that has the same layout, or exactly a further
// array of the store callback, which then gets the element that it replaces: float store(float2 z, float old). Of a
// real FFT, numbers and frequencies share an array whose rows have room for both (padded_reals).
//
// Callbacks. The load callback makes each point of the input, and the store callback takes each point of the result,
// already scaled. Both are called exactly once for each point, in no order. Their signatures are those of cuFFT's LTO
// callbacks, or those of callbacks of graft::Transform:
//
//     T load(void* data, unsigned long long offset, void* caller_info, void* shared)             cuFFT's
//     void store(void* data, unsigned long long offset, T point, void* caller_info, void* shared)
//     float2 load(short a, float b, const State& state, graft::Index i)                          graft's, for instance
//     float store(float2 point, float weight, const State& state, graft::Index i)
//
// A load callback of graft's shape takes one element of each of its input arrays. A store callback of graft's shape
// takes the point, and then one element of each further input array: the element at the output's place. It returns the
// element of the output, or writes it through a parameter T&, and may then return graft::Store. `i` is b * N + p, and
// `offset` is b * distance + p * stride, and its type may also be size_t.
//
// Between. With a callback between, an Fft computes an FFT, calls float2 between(float2 value, graft::Index k, const
// State&) for each frequency k from 0 to N - 1, and computes the inverse FFT. One kernel does all of it for every
// length up to 16384 (F32) or below 9009 (F64) from sm_80 on, where some lengths up to 10816 follow, and below 14784 or
// 7371 on sm_75; with a prime factor from 17 to 31, for every length below 10013 or 5797 and some above. Other lengths
// take three or five kernels and a workspace, one kernel less than an FFT and an inverse FFT; reports() lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <graft/architecture.hpp>
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

enum class FftPrecision : std::uint8_t { F32, F64 };
enum class Direction : std::uint8_t { Forward, Inverse };
enum class FftKind : std::uint8_t { Complex, Real };
enum class FftDirections : std::uint8_t { Both, Forward, Inverse };

// What an array holds. Same: numbers of FftPlan::precision. F16, BF16: halves (__half) or bfloat16 (__nv_bfloat16), for
// kernels of FftPrecision::F32, which calculate in float: complex numbers are then graft::complex<__half>,
// cuda::std::complex<__half>, __half2 or another class of two of them (ElementType "c32"), aligned to 4 bytes. Results
// are rounded to nearest; those that a half cannot hold become infinities, as in cuFFT.
enum class FftStorage : std::uint8_t { Same, F16, BF16 };

// What results are multiplied by. ByLength: those of an inverse FFT by 1/N, so that it undoes a forward one. Unitary:
// all by 1/sqrt(N). With a callback between, which gets numbers that are not scaled yet, both are 1/N.
enum class FftScaling : std::uint8_t { None, ByLength, Unitary };

struct FftPlan {
  std::int64_t length = 0;
  FftPrecision precision = FftPrecision::F32;
  FftDirections directions = FftDirections::Both;  // the directions that create prepares
  FftScaling scaling = FftScaling::None;
  // Whether execute may be called with strides other than 1, and with views other than dense ones. Kernels for strides
  // of 1 only are faster. For FFTs of one kernel, create makes a second one for FFTs that are near each other in
  // memory, as the columns of a matrix are, if enough of them fit into a thread block.
  bool has_strides = false;
  // Whether arrays may have more than 2^32 elements, or a batch more than 2^32 points. Kernels for shorter arrays are
  // faster if a callback computes with its offset or index.
  bool has_long_arrays = false;
  // The largest batch for which create allocates the workspace that long FFTs need (workspace_bytes), in each context
  // that it prepares. All calls in one context share this workspace, so that they must not run at the same time: calls
  // in one stream follow each other, calls in several streams need a workspace each (FftLaunch::workspace). 0: none is
  // allocated, and each call brings a workspace.
  std::size_t batch = 0;
  // In place of a length, which is then 0: the points of each of 1 to 3 dimensions, that whose points are neighbours
  // last, as {rows, columns}. One dimension is the same as a length, and becomes one.
  std::vector<std::int64_t> shape = {};
  // The load and store callbacks of a real FFT take numbers on one side and complex numbers on the other. If there is
  // one of them, `directions` must be one, or FftCallbacks::inverse has those of the inverse. Even lengths without
  // prime factors above 31 cost as much as a complex FFT of N/2 points (with a callback between, up to 32768 for F32),
  // others as much as one of N points.
  FftKind kind = FftKind::Complex;
  // What the input and the output hold, where no load or store callback decides that.
  FftStorage storage_in = FftStorage::Same;
  FftStorage storage_out = FftStorage::Same;
};

// The shape of an array in which a real FFT is made in place: rows of numbers that have room for their frequencies, so
// that the last extent of {ny, nx} is 2 * (nx / 2 + 1). The numbers are then a view with these strides (of a length,
// the distance of FftLaunch::in forward and FftLaunch::out inverse), and the frequencies are the dense array.
inline std::vector<std::int64_t> padded_reals(std::vector<std::int64_t> shape) {
  if (!shape.empty()) shape.back() = 2 * (shape.back() / 2 + 1);
  return shape;
}

// The load and store callbacks of one direction.
struct FftSideCallbacks {
  std::optional<Callback> load = {};
  std::optional<Callback> store = {};
};

struct FftCallbacks {
  std::optional<Callback> load = {};
  std::optional<Callback> between = {};
  std::optional<Callback> store = {};
  // Those of the inverse direction, if it does not have the same load and store callbacks. Without a value, both
  // directions have `load` and `store`; with an empty one, the inverse has none.
  std::optional<FftSideCallbacks> inverse = {};
};

// Where the FFTs of a batch are in an array, in elements. Distance 0 means that they follow each other: N * stride.
// With a stride of 0, which an input may have (FftPlan::has_strides), all points of an FFT are one element.
struct FftLayout {
  std::size_t stride = 1;
  std::size_t distance = 0;
};

struct FftLaunch {
  // The number of FFTs; FftPlan::batch does not give it. If empty, as many as the first array of the load callback
  // holds, or the output if the load callback takes none. The array must then have no rest that belongs to no FFT,
  // except a gap behind the last one, and no callback of cuFFT's shape may access it.
  std::optional<std::size_t> batch = {};
  FftLayout in = {};
  FftLayout out = {};
  // For views (graft/view.hpp): the axes that are transformed, the slowest dimension of FftPlan::shape first; a
  // negative one counts from the last. Empty: the last axes of a view. The other axes are the batch, whose first FFTs
  // differ in the last of them.
  std::vector<int> axes = {};
  // Device memory of workspace_bytes(batch) bytes, aligned to 16 bytes, that no other call uses while this one runs.
  // Null: the workspace that create allocated.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  // The state of the callbacks of graft's shape. If several of load, between and store have one, a struct with these
  // states as members, in this order, with the padding that C++ gives such a struct. Its bytes are copied by execute,
  // so that the state of a FftLaunch that is kept in a variable must live until then: not FftLaunch{.state = Band{10}}.
  StateRef state = {};
  // For callbacks of cuFFT's shape: a pointer for the load callback and one for the store callback, to memory that the
  // kernels can access (device memory; on the host route, host memory). The kernels get the pointers as they are, and
  // read what they point to when they run.
  CallerInfo info = {};
};

// An Fft is a cheap, copyable handle. All its functions may be called from many threads at the same time, also prepare
// beside execute, except that calls which share a workspace must not run on the device at the same time. Devices,
// contexts, fork and the lifetime of kernels are as for graft::Transform.
//
// The destructor of the last copy frees the workspaces that create and prepare allocated. It may be called while calls
// are queued: it then waits for the device, as cudaFree does. A captured graph keeps the workspace that its calls use
// after the Fft is destroyed, until the graph and all its executables are destroyed. The workspace is then freed by the
// next Fft that is created or destroyed, or by Engine::release_unused.
class GRAFT_API Fft {
 public:
  Fft(const Fft&) = default;
  Fft& operator=(const Fft&) = default;

  // Plans, compiles and loads the kernels, with the tables that they need, and prepares the primary contexts of
  // options.devices or, if that is empty, the current context. Kernels come from the engine's caches where possible.
  // Thread-safe. Throws Error: InvalidArgument (a length that is not supported, with the nearest ones that are; options
  // that FFTs do not have), UnsupportedParameter (a callback that does not fit), and what Transform::create throws.
  static Fft create(const FftPlan& plan, const FftCallbacks& callbacks = {}, const Options& options = {});
  static Fft create(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks = {},
                    const Options& options = {});

  // Does what create does, on a worker thread of the engine, for the context that is current in the calling thread. The
  // future's get() throws the errors of create, and its cancel() gives the work up. Wait for the future before main
  // returns.
  static Pending<Fft> create_async(const FftPlan& plan, const FftCallbacks& callbacks = {},
                                   const Options& options = {});
  static Pending<Fft> create_async(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks = {},
                                   const Options& options = {});

  // Makes an FFT that was compiled ahead of time, from the pack that precompile made of it, or from the images of
  // build; both are below. `batch` is FftPlan::batch. Loading prepares devices as create does. A pack serves the
  // architectures that it was made for, and newer ones; options that it contains must be unset or equal. An image
  // serves its own architecture. A pack of another version of graft is refused if that version plans this length in
  // another way. Throws Error: ImageRefused for bytes that are damaged, for kernels that are not those of one FFT, or
  // if there are none for the device's architecture; and what create throws.
  static Fft load(std::span<const std::byte> pack, std::size_t batch = 0, const Options& options = {});
  static Fft load(Engine& engine, std::span<const std::byte> pack, std::size_t batch = 0, const Options& options = {});
  static Fft load(const std::vector<Image>& images, std::size_t batch = 0, const Options& options = {});
  static Fft load(Engine& engine, const std::vector<Image>& images, std::size_t batch = 0, const Options& options = {});

  // Queues the FFTs of a batch on `stream` and returns. Inputs are the arrays of the load callback (one array, without
  // it), then the further arrays of the store callback; there is one output. Each array needs room for its own layout
  // (above). The output may be exactly in place: the pointer and layout of an input whose elements have the same size.
  // Never allocates, locks, compiles or synchronises, so that it can be captured into a graph (the capture of a call
  // that uses the workspace of create allocates a few bytes, with which the graph keeps the workspace). Thread-safe,
  // see above.
  //
  // Throws Error: CountMismatch (wrong number of arrays, or an array too small for batch and layout), TypeMismatch,
  // Misaligned, Overlap, NotPrepared, LaunchFailed, or InvalidArgument (a direction that was not prepared, strides
  // without FftPlan::has_strides, more elements than FftPlan::has_long_arrays allows, an output whose layout gives two
  // points one element, a batch and layout that no memory holds, no FftLaunch::batch where the arrays do not tell it, a
  // number that is no Direction, a view that does not fit, a workspace that is missing or too small, more thread blocks
  // than CUDA launches). When execute throws, nothing was launched, except that with LaunchFailed the first kernels of
  // several may run. Arrays that callbacks of cuFFT's shape access may have any type, size and place.
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, Direction direction = Direction::Forward,
               const FftLaunch& launch = {}) const;
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, Direction direction = Direction::Forward,
               const FftLaunch& launch = {}) const {
    execute(stream, in.refs(), out.refs(), direction, launch);
  }

  // Runs an FFT of the host route (Options::routes.required) on host memory, and returns when it is done. It allocates
  // the workspace that it needs, and throws Error(SystemFailed) if the system has no memory for it.
  void execute(HostTag, ArrayRefs in, ArrayRefs out, Direction direction = Direction::Forward,
               const FftLaunch& launch = {}) const;
  template <class = void>
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, Direction direction = Direction::Forward,
               const FftLaunch& launch = {}) const {
    execute(host, in.refs(), out.refs(), direction, launch);
  }

  // Arguments that fit none of the functions above end here, so that the compiler shows this line and not a list of
  // candidates.
  // clang-format off
  void execute(...) const = delete;  // graft: execute takes (stream or graft::host, in, out, direction, FftLaunch)
  // clang-format on

  // Prepares the primary context of a device, or the current context. Throws what create throws.
  void prepare(int device);
  void prepare_current();

  // The workspace of a call with this batch, in bytes: 0 for lengths that one kernel computes on all prepared devices.
  // It may change from 0 to more when prepare adds a device of another architecture. Throws Error(InvalidArgument) for
  // a batch whose workspace is larger than any memory.
  std::size_t workspace_bytes(std::size_t batch) const;

  // What this FFT computes. For one with a callback between, `directions` is Forward.
  const FftPlan& plan() const noexcept;

  // The reports of the kernels for the first device: those of the forward FFT, then those of the inverse.
  // An FFT of a length with a prime factor above 31 has the same kernels in both directions, unless these have
  // callbacks of their own.
  const std::vector<Report>& reports() const noexcept;

  struct Impl;

 private:
  explicit Fft(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

// Builds the kernels of an FFT for one architecture, without using a GPU: those of the forward direction in the order
// of their launches, then those of the inverse, unless these are the same. Thread-safe. Throws what Fft::create throws
// for plans, callbacks and tools.
GRAFT_API std::vector<Image> build(const FftPlan& plan, const FftCallbacks& callbacks, Architecture architecture,
                                   const Options& options = {});
GRAFT_API std::vector<Image> build(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks,
                                   Architecture architecture, const Options& options = {});

// Compiles an FFT ahead of time, and returns the bytes of a `.graft` file for Fft::load. The file is a pack with the
// kernels of each architecture's plan (PrecompileFormat::Pack or PackWithCubins; see precompile.hpp), so that no NVRTC
// is needed where it is loaded. Thread-safe. Throws Error: InvalidArgument for other formats, and what build throws.
GRAFT_API std::vector<std::byte> precompile(const FftPlan& plan, const FftCallbacks& callbacks,
                                            const std::vector<Architecture>& architectures,
                                            PrecompileFormat format = PrecompileFormat::Pack,
                                            const Options& options = {});
GRAFT_API std::vector<std::byte> precompile(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks,
                                            const std::vector<Architecture>& architectures,
                                            PrecompileFormat format = PrecompileFormat::Pack,
                                            const Options& options = {});

}  // namespace graft
