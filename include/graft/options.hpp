// What a caller can ask for when a kernel is made. A default-made Options is right for most callbacks.
//
// Everything here belongs to the kernel: two requests that differ in it are two kernels, in memory and on disk. Only
// `devices` does not: it says where to load it. `closed` counts in memory with all its bounds, and on disk by its
// ceiling of registers; headers and folders count on disk by what an #include could find in them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/element.hpp>
#include <graft/route.hpp>

namespace graft {

// Applied when the callback is compiled and again when it is linked.
struct FloatingPoint {
  bool fast_math = false;      // subnormals to zero, no precise division and square root, and the fast versions of
                               // sinf, expf, ... (as nvcc's --use_fast_math: contraction stays as it is said)
  bool contraction = true;     // a * b + c may become one fused multiply-add
  bool flush_to_zero = false;  // single-precision subnormals become zero
  bool precise_division = true;
  bool precise_square_root = true;
  bool operator==(const FloatingPoint&) const = default;
};

// A header that the callback includes by name, given as text.
struct Header {
  std::string name = {};  // as it stands in the #include
  std::string text = {};
};

// A macro, as #define has it.
struct Define {
  std::string name = {};    // an identifier, or one with parameters: "SCALE", "SQUARE(x)"
  std::string value = "1";  // one line, with no comment or string left open
};

// How a kernel's threads walk through the elements.
enum class Body : std::uint8_t {
  Vector,  // 16-byte words in registers, all of a thread's elements unrolled
  Rolled,  // one element at a time: for callbacks too heavy to unroll
};

// Overrides what graft would choose for the signature and architecture. Unset fields are chosen. What cannot be taken
// is noted in the report: the routes `indirect` and `host` take none of it, and a rolled kernel neither width nor
// vectors.
struct PolicyOverrides {
  std::optional<int> vector_width = {};        // elements side by side per thread: 1, 2, 4, 8 or 16
  std::optional<int> vectors_per_thread = {};  // 1, 2 or 4
  std::optional<Body> body = {};
  std::optional<int> block_threads = {};  // threads per block: 64, 128 or 256

  // Programmatic dependent launch, on Hopper and newer: the kernel's blocks may be set up while the last kernel in the
  // stream still runs, and wait until all of it has ended and can be seen before they read or write anything. Results
  // are the same; a chain of short launches takes less time. On where there is it, unless said otherwise; with drivers
  // before CUDA 12.3, which capture no such launch into a graph, kernels are launched without it.
  std::optional<bool> programmatic_launch = {};

  // Calls visit("vector_width", &PolicyOverrides::vector_width) and so on, for each field.
  template <class Visit>
  static constexpr void visit_fields(Visit&& visit) {
    visit("vector_width", &PolicyOverrides::vector_width);
    visit("vectors_per_thread", &PolicyOverrides::vectors_per_thread);
    visit("body", &PolicyOverrides::body);
    visit("block_threads", &PolicyOverrides::block_threads);
    visit("programmatic_launch", &PolicyOverrides::programmatic_launch);
  }
};

enum class CppStandard : std::uint8_t { Cpp17 = 17, Cpp20 = 20 };

// The closed mode: for callbacks whose text comes from somebody whom the application does not trust. docs/security.md
// says what it closes, and what stays open: the kernel can run for ever and reach any device address of its context.
//
// The text, the entry and the declared signature must have no preprocessing (`#`, `%:`, `?\?=`, _Pragma), no asm (nor
// __asm, __asm__), no names of the compiler's macros (_NV_...), no line continuation, no universal character name, and
// not the words `import` and `module`; comments count. Only source is taken, and compositions of sources; neither
// Options::headers nor include_paths, nor the host route. Options::defines are the application's own, and are compiled
// as they stand.
//
// Compiling and linking happen in a process of its own: the program `graft` of this version (EngineOptions::program),
// which uses no cache and no driver. What reaches a bound is an Error that names the bound.
struct Closed {
  int max_registers = 128;                 // per thread, 24 to 255; Options::max_registers may be lower
  std::chrono::milliseconds time{10'000};  // of one compile: by the clock, and of all its threads' processor time; up
                                           // to one hour
  std::uint64_t memory = 2ull << 30;       // address space of that process in bytes; 512 MiB or more
  bool operator==(const Closed&) const = default;
};

struct Options {
  // Which function is the callback: "relu", "math::relu", "scale<float>", or an expression that makes a function
  // object: "Scale{}". Needed when the source defines several; overrides the Callback's own.
  std::string entry = {};

  std::vector<Header> headers = {};             // found before anything on disk, also by the headers of the tools
  std::vector<std::string> include_paths = {};  // folders, searched in order; none may be empty; a relative one is
                                                // taken from the working folder when the request is made
  // In front of the callback's text, as lines of it: `#define name value`. graft's own headers, and those of half and
  // bfloat16 where the text needs them, stand in front of these lines and do not see them.
  std::vector<Define> defines = {};
  CppStandard standard = CppStandard::Cpp17;
  FloatingPoint floating_point = {};
  int max_registers = 0;   // per thread, 16 to 255; 0 leaves it to the compiler
  bool line_info = false;  // source lines for profilers and debuggers

  // The state's bytes, to be folded into the kernel as constants: loops over it unroll and branches on it vanish. The
  // kernel then takes no state at execute, and another state is another kernel. Set by bake.
  std::vector<std::byte> baked_state = {};
  ElementType baked_type = {};  // compared with the callback's, where bake has set it

  // Dynamic shared memory of each block, in bytes, up to 49,152: what load and store callbacks get as `shared`. With 0
  // they get null. On the host each thread is a block of its own.
  int shared_bytes = 0;

  PolicyOverrides policy = {};
  RouteChoice routes = {};

  // Set for callbacks that are not trusted. The text is checked before anything else; a kernel that is in a cache is
  // taken from there.
  std::optional<Closed> closed = {};

  // The architecture that `create` builds for: the device's own unless set (an "sm_90a" build, say). graft::build and
  // precompile have parameters for it, and images their own; another one here is Error(InvalidArgument).
  std::optional<Architecture> architecture = {};

  // Device ordinals whose primary contexts `create` prepares; empty: the current context.
  std::vector<int> devices = {};

  // Takes the callback's `const T&` parameter out of execute and into the kernel. Pointers in it must stay valid.
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
