// Options hold what a caller can request when a kernel is made. The defaults are right for most callbacks.
//
// Options are part of a kernel's identity: two requests with different options make two kernels, in memory and on disk.
// There are some exceptions. `devices` says where to load the kernel, `any_shape` and `shapes` say which further
// kernels there are, and `shipped_tuning` says whether the engine sets `measured`, so they are not part of a kernel's
// identity. All bounds of `closed` are part of the identity in
// memory, but only its register limit is part of the identity on disk, because the bounds of time and memory do not
// change the kernel. `allow_thread_words` is part of the identity in memory only, because it does not change the
// kernel; graft checks the callback's words before it takes a kernel from disk. On disk, the identity contains the
// content of the files that an #include could find through `headers` and `include_paths`, not these options themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/call_shapes.hpp>
#include <graft/element.hpp>
#include <graft/route.hpp>

namespace graft {

// Floating-point options. graft passes them to the compiler and to the linker, because link-time optimisation generates
// the final code.
struct FloatingPoint {
  bool fast_math = false;        // as nvcc's --use_fast_math: subnormals to zero, approximate division and square root,
                                 // fast versions of sinf, expf, ...; does not change `contraction`
  bool contraction = true;       // a * b + c may become one fused multiply-add
  bool flush_to_zero = false;    // single-precision subnormals become zero
  bool precise_division = true;  // rounds single-precision a / b as IEEE 754 says; if false, approximates
  bool precise_square_root = true;  // rounds sqrtf as IEEE 754 says; if false, approximates
  bool operator==(const FloatingPoint&) const = default;
};

// A header in memory, which the callback includes by name.
struct Header {
  std::string name = {};  // the name that the #include contains: "shape.h"
  std::string text = {};
};

// One line `#define name value`.
struct Define {
  std::string name = {};    // an identifier, or an identifier with parameters: "SCALE", "SQUARE(x)"
  std::string value = "1";  // one line; comments and string literals must be closed
};

// How a thread handles its elements.
enum class Body : std::uint8_t {
  Vector,  // 16-byte loads and stores; the callback is unrolled over all elements of the thread
  Rolled,  // each thread handles one element, for callbacks that are too heavy to unroll
};

// The parts of the tuning that the caller chooses. graft chooses every unset field from the signature and the
// architecture. The report's notes list the fields that have no effect: all fields for the routes `indirect` and
// `host`, and vector_width and vectors_per_thread for a kernel with Body::Rolled.
struct PolicyOverrides {
  std::optional<int> vector_width = {};        // adjacent elements per vector: 1, 2, 4, 8 or 16
  std::optional<int> vectors_per_thread = {};  // vectors of each array per thread: 1, 2 or 4; 4 for at most 4 outputs
  std::optional<Body> body = {};
  std::optional<int> block_threads = {};  // threads per thread block: 64, 128 or 256

  // Programmatic dependent launch (Hopper and newer). The kernel's thread blocks may be scheduled while the previous
  // kernel in the stream still runs; before they access memory, they wait until that kernel has finished and its writes
  // are visible. Results do not change, and a chain of short launches takes less time. Default: on for architectures
  // that support programmatic launch. Drivers older than CUDA 12.3 cannot capture such a launch into a graph; with
  // these drivers programmatic launch is off.
  std::optional<bool> programmatic_launch = {};
};

// The numbers of the tuning that `graft tune` measured on one GPU, for callbacks whose arrays have elements of certain
// sizes. They replace those of graft's own rules, and change no result. An engine sets them from its tuning file
// (EngineOptions::tuning_file); applications have no need to. If a field of `Options::policy` is set, they have no
// effect.
struct MeasuredPolicy {
  int vector_width = 1;           // as in PolicyOverrides
  int vectors_per_thread = 1;     // as in PolicyOverrides
  int block_threads = 256;        // as in PolicyOverrides
  std::int64_t single_below = 0;  // launches of fewer elements use one vector per thread, and 256 threads per block
  bool operator==(const MeasuredPolicy&) const = default;
};

enum class CppStandard : std::uint8_t { Cpp17 = 17, Cpp20 = 20 };

// The closed mode, for callback source from people whom the application does not trust. The closed mode cannot keep the
// kernel from running for ever, or from accessing any device address of its context; docs/security.md says what it
// prevents.
//
// The source text, the entry and the declared signature must not contain: preprocessing (`#`, `%:`, `?\?=`, _Pragma),
// assembly (asm, __asm, __asm__), the compiler's own macros (_NV_...), line continuations, universal character names,
// or the words `import` and `module`. Comments are checked too. The callback must be source, or a composition of
// sources. Options::headers, Options::include_paths and the host route are refused. Options::defines come from the
// application, so they are trusted and compiled unchanged.
//
// Compiling and linking run in a separate process, the program `graft` (EngineOptions::program), which uses neither
// cache nor driver. A build that reaches one of the bounds below throws an Error that names the bound.
struct Closed {
  int max_registers = 128;  // registers per thread, 24 to 255; a lower Options::max_registers takes precedence
  std::chrono::milliseconds time{10'000};  // for one build: elapsed time, and processor time summed over its threads;
                                           // at most one hour
  std::uint64_t memory = 2ull << 30;       // address space of the separate process in bytes; at least 512 MiB
  bool operator==(const Closed&) const = default;
};

struct Options {
  // Options for callbacks on the CPU alone: the host route is required, so no GPU is needed. The rest are defaults.
  static Options cpu() {
    Options options;
    options.routes.required = Route::Host;
    return options;
  }

  // Says which function of the source is the callback: "relu", "math::relu", "scale<float>", or an expression that
  // makes a function object: "Scale{}". Needed when the source defines several functions; overrides the Callback's own
  // entry.
  std::string entry = {};

  // Headers in memory. They take precedence over files, also for the #include lines of the tools' own headers. In the
  // header "a/x.h", `#include "k.h"` means the header "a/k.h" if there is one.
  std::vector<Header> headers = {};
  // Folders that are searched for headers, in order. No path may be empty. A relative path is resolved against the
  // working folder at the time of the request.
  std::vector<std::string> include_paths = {};
  // Macros that graft inserts in front of the callback's text as lines `#define name value`. graft's own headers, and
  // the headers of half and bfloat16 if the text needs them, come before these lines, so the macros do not affect these
  // headers.
  std::vector<Define> defines = {};
  CppStandard standard = CppStandard::Cpp17;
  FloatingPoint floating_point = {};
  // For transforms: create also makes the kernel for arrays of any shape (graft/view.hpp), so that execute takes every
  // view on the GPU. Without it, a call on the GPU may have views only if they lie in memory like one dimension, or in
  // a way for which Transform::prepare_shapes made a kernel. The host route takes every view in any case. Each kernel
  // has __device__ variables of its own, which Transform::symbol then refuses. create refuses it for callbacks with bit
  // arrays, and for packs without PTX of their callback. Of other packs, and of PTX and machine code without NVRTC, the
  // kernel calls through a pointer, which is slow. graft::build and graft::precompile make the kernel for one dimension
  // alone.
  bool any_shape = false;
  // For transforms and reductions: create also makes the kernels that serve calls with arrays of these shapes best, at
  // the same time as the first kernel, as Transform::prepare_shapes does later. Each serves all arrays that lie in the
  // same way: only that matters, and not the numbers. Refused where any_shape is, if a shape needs a kernel of its own;
  // graft::build and graft::precompile make the kernel for one dimension alone.
  std::vector<CallShapes> shapes = {};
  int max_registers = 0;   // registers per thread, 16 to 255; 0 means no limit
  bool line_info = false;  // include source lines for profilers and debuggers

  // Further options for NVRTC, one string each, with `=` before a value: "--diag-suppress=177,550". graft passes on
  // only these options, which change neither the form of the code nor anything that another member of Options sets:
  //
  //     --diag-suppress=N, --diag-warn=N, --diag-error=N   what becomes of the warning with the number N; several
  //                                                        numbers are separated by commas
  //     --disable-warnings, -w                             no warnings in Report::compiler_log
  //     --device-as-default-execution-space,               functions and variables without __device__ are device
  //     -default-device                                    functions and variables
  //     --device-float128                                  the type __float128 (sm_100 and newer)
  //     --extra-device-vectorization                       NVRTC vectorises loops more often
  //
  // Any other option throws Error(InvalidArgument), whose remedy names the member of Options to use instead. If NVRTC
  // is too old for an option, Error(ToolTooOld) names the option and NVRTC's version. The order has no meaning. The
  // host route uses --disable-warnings and --device-as-default-execution-space; the report notes the options that have
  // no effect there.
  std::vector<std::string> compiler_options = {};

  // The bytes of a state that is compiled into the kernel as a constant, so that the compiler can unroll loops and
  // remove branches that depend on it. execute then takes no state, and each value of the state makes a kernel of its
  // own. Use bake to set it.
  std::vector<std::byte> baked_state = {};
  ElementType baked_type = {};  // set by bake; must match the callback's state

  // Dynamic shared memory of each thread block in bytes, up to 49,152. Load and store callbacks get its address as
  // `shared`; with 0 they get null. On the host route each thread has a buffer of its own.
  int shared_bytes = 0;

  PolicyOverrides policy = {};
  // True: graft's own rules choose the tuning, and plans of FFTs are graft's own, also on a GPU that `graft tune`
  // measured.
  bool shipped_tuning = false;
  std::optional<MeasuredPolicy> measured = {};  // set by the engine
  RouteChoice routes = {};

  // The closed mode. Set `closed` for untrusted callbacks. graft checks the callback's text before it searches the
  // caches.
  std::optional<Closed> closed = {};

  // How many threads work on a call of a reduction on the host route, the calling thread among them, if there is enough
  // to do: 1 to 1,024, or 0 for one for each processor. Callbacks are then called by several threads at the same time.
  // The bits of results do not depend on it. Other calls, and all calls by default, are the work of the calling thread
  // alone.
  int host_threads = 1;

  // Allows thread words in the callback: barriers, thread and block indices, shared memory, and functions that exchange
  // values within a warp (the guide lists them). By default graft refuses a callback that uses one, with
  // Error(InvalidArgument), because which elements the threads of a warp or block handle depends on the tuning, the
  // route, the alignment of the arrays and the place in the array, and some threads handle none. With
  // `allow_thread_words` the callback is compiled unchanged; its results may differ between kernels, and a barrier may
  // hang. The report notes each word. A pack of such a callback needs the option only when it is made.
  bool allow_thread_words = false;

  // The architecture for which `create` builds, for instance sm_90a. If unset, the device's own architecture.
  // graft::build and precompile have a parameter for the architecture, and Transform::load takes an Image, which
  // contains its architecture. These functions throw Error(InvalidArgument) if `architecture` is set to a different
  // architecture.
  std::optional<Architecture> architecture = {};

  // Device ordinals: `create` prepares the primary context of each device. If empty, `create` prepares the current
  // context.
  std::vector<int> devices = {};

  // Compiles `state` into the kernel in place of the callback's `const T&` parameter. Pointers in `state` must stay
  // valid as long as the kernel is used.
  template <class State>
  Options& bake(const State& state) {
    static_assert(std::is_trivially_copyable_v<State>, "graft: state must be trivially copyable");
    const auto* bytes = reinterpret_cast<const std::byte*>(&state);
    baked_state.assign(bytes, bytes + sizeof(State));
    baked_type = element_type<State>();
    return *this;
  }
};

}  // namespace graft
