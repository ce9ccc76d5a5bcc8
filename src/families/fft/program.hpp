// Writes the CUDA text of one kernel of an FFT, for exactly one plan, direction, scaling and pair of callbacks.
//
// The text is a list of functions: a butterfly for each radix, a load and a store, and one function for each phase,
// which is what a thread does between two barriers. The kernel calls the phases in turn. On the CPU, a loop over the
// threads of a block calls them instead, so that the same phases can be tested there (host_text). For 256 = 16 * 16
// points:
//
//     graft_phase_0(...) {                                     loads, computes pass 0, writes to shared memory
//       graft_v[0] = graft_load(graft_p, graft_at, ...);
//       graft_v[1] = graft_load(graft_p, graft_at + 16ull, ...);
//       ...
//       graft_butterfly_16(graft_v + 0);
//       auto* const graft_place = graft_shared + ...;
//       graft_place[0] = graft_v[0];
//       ...
//     }
//     graft_phase_1(...) { ... }                               reads, computes pass 1, stores
//     extern "C" __global__ void __launch_bounds__(128) fft(const __grid_constant__ graft_parameters graft_p) {
//       extern __shared__ __align__(16) unsigned char graft_shared[];
//       graft_complex graft_v[16];
//       graft_phase_0(graft_p, graft_v, threadIdx.x, blockIdx.x, ...);
//       __syncwarp();
//       graft_phase_1(graft_p, graft_v, threadIdx.x, blockIdx.x, ...);
//     }
//
// tests/families/fft/kernel_16.txt is a whole text.
// The text follows the callbacks' text, where the user's macros apply, so that all its names begin with graft_.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "families/fft/plan.hpp"

namespace graft::families::fft {

// A callback at load or store. Callbacks have one of two shapes:
//
//   Cufft   T load(void* data, unsigned long long offset, void* caller_info, void* shared)
//           void store(void* data, unsigned long long offset, T value, void* caller_info, void* shared)
//           The callback accesses memory itself. `offset` counts elements from the beginning of the array.
//   Graft   load: any order of elements (one of each input array, by value), state and index -> the point
//           store: the same, where the first element is the point -> the output's element
//           The kernel accesses memory. The index is that of the point among all points of all FFTs, without gaps.
struct Hook {
  enum class Shape { None, Cufft, Graft };

  struct Argument {
    enum class Kind { Element, State, Index };
    Kind kind = Kind::Element;
    std::string type;  // of an element: "float2"
  };

  Shape shape = Shape::None;
  std::string call;                 // the expression that is called: "::window"
  std::string point;                // Cufft at store: the type of the value: "float2"
  std::vector<Argument> arguments;  // Graft: in the order in which the callback declares them
  std::string state;                // Graft: the type of the state; empty if there is none
  std::string result;               // Graft at store: the type of the output's elements
};

struct ProgramRequest {
  Plan plan;
  std::size_t kernel = 0;   // which kernel of the plan
  std::string name;         // the kernel's
  bool is_inverse = false;  // not for plans with an inverse, which begin with a forward FFT
  double scale = 1;         // what outputs are multiplied with, in front of the store callback
  Hook load;                // used by the first kernel
  Hook store;               // used by the last kernel
  // For plans with an inverse: what is called with each frequency, of shape Graft: one element, state and index in any
  // order -> the element. The index is the number of the frequency, from 0 to length - 1. None: nothing is called.
  Hook between;
  // Whether neighbouring points of the caller's arrays are neighbours in memory. Otherwise their distances are
  // parameters of the launch.
  bool has_unit_stride_in = true;
  bool has_unit_stride_out = true;
};

// The kernel's parameter begins with these members. They are followed by
//     const void* in[input_arrays(request)]
//     the states of the callbacks load, between and store, as far as they have one, each where its alignment has it
struct ParameterHead {
  std::uint64_t batch = 0;
  // Of the caller's arrays, in elements. A stride is not read if the request says that it is 1.
  std::uint64_t in_stride = 1;
  std::uint64_t in_distance = 0;
  std::uint64_t out_stride = 1;
  std::uint64_t out_distance = 0;
  void* workspace = nullptr;
  const void* roots = nullptr;  // roots_of() in roots.hpp
  void* load_info = nullptr;    // for callbacks of shape Cufft
  void* store_info = nullptr;
  void* out = nullptr;
};

// `in` has the arrays of the load callback's elements, or the input array if it has none; behind them the arrays of
// the store callback's elements other than the point.
std::size_t input_arrays(const ProgramRequest& request);

// The text of the kernel and of everything that it needs besides the callbacks. The grid has one dimension
// (launch_blocks), a block has block_threads() threads and Kernel::shared_bytes of dynamic shared memory, behind which
// callbacks of shape Cufft get theirs.
std::string device_text(const ProgramRequest& request);

// The same for a C++ compiler, in place of the kernel
//     extern "C" void NAME(const void* parameter, unsigned long long blocks)
// which executes thread blocks 0 to blocks - 1. The text needs graft/host.h.
std::string host_text(const ProgramRequest& request);

// How many thread blocks a kernel has for a batch.
std::int64_t launch_blocks(const Kernel& kernel, std::int64_t batch);

}  // namespace graft::families::fft
