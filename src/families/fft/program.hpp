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

#include "families/fft/places.hpp"
#include "families/fft/plan.hpp"

namespace graft::families::fft {

struct ProgramRequest {
  Plan plan;
  std::size_t kernel = 0;         // which kernel of the plan
  std::string name;               // the kernel's
  bool is_inverse = false;        // not for plans with an inverse, which begin with a forward FFT
  double scale = 1;               // what outputs are multiplied with, in front of the store callback
  int callback_shared_bytes = 0;  // shared memory for callbacks of cuFFT's shape
  // The C++ type that calls the callbacks: graft_fft_hooks in building_blocks/fft/hooks.h. Empty: there are none. The
  // first kernel calls the load callback, the last one the store callback; kernels with an inverse call the one
  // between, with the number of the frequency, from 0 to length - 1.
  std::string hooks;
  // Whether neighbouring points of the caller's arrays are neighbours in memory. Otherwise their distances are
  // parameters of the launch.
  bool has_unit_stride_in = true;
  bool has_unit_stride_out = true;
  bool has_places() const { return !has_unit_stride_in || !has_unit_stride_out; }
  // Whether an array of the caller's may have more than kMostPointsOfShortArrays points. If not, the text says so to
  // the compiler, and callbacks that compute with their offset need fewer instructions: 25 points with a window take
  // 1112 in place of 1432, because of `offset % 25`.
  bool has_long_arrays = false;
};

// Offsets and indices in such arrays fit into 32 bits.
inline constexpr std::uint64_t kMostPointsOfShortArrays = std::uint64_t{1} << 32;

// The kernel's parameter begins with these members, and if the request has places, those of StridedHead. They are
// followed by
//     const void* in[...]   the arrays of the load callback, or the input array if it has none; behind them the further
//                           arrays of the store callback; at least one
//     the states of the callbacks load, between and store, as far as they have one, as members of a struct
struct ParameterHead {
  std::uint64_t batch = 0;
  // Of the caller's arrays, in elements, for a side with strides of 1.
  std::uint64_t in_distance = 0;
  std::uint64_t out_distance = 0;
  void* workspace = nullptr;
  const void* roots = nullptr;  // roots_of() in roots.hpp
  void* load_info = nullptr;    // for callbacks of cuFFT's shape
  void* store_info = nullptr;
  void* out = nullptr;
};

// The extents of an FFT in the arrays of a side, the slowest first: a spectrum of real numbers has fewer frequencies.
std::vector<std::int64_t> extents_of_side(const Plan& plan, const Layout& side);

struct StridedHead : ParameterHead {
  ArrayPlaces in_places, out_places;
};

// The dynamic shared memory of a thread block: the FFT's, and behind it the callbacks'.
int shared_bytes(const Kernel& kernel, int callback_shared_bytes);

// The text of the kernel and of everything that it needs besides the callbacks. The grid has one dimension
// (launch_blocks), a block has block_threads() threads and shared_bytes() of dynamic shared memory.
std::string device_text(const ProgramRequest& request);

// The same for a C++ compiler, in place of the kernel
//     extern "C" void NAME(const void* parameter, unsigned long long begin, unsigned long long end)
// which executes thread blocks, or clusters of them, begin to end - 1 (host_blocks). The text needs graft/host.h.
// Threads may call the function at the same time.
std::string host_text(const ProgramRequest& request);

// How many thread blocks a kernel has for a batch.
std::int64_t launch_blocks(const Kernel& kernel, std::int64_t batch);

// The same for host_text, for which a cluster counts as one.
std::int64_t host_blocks(const Kernel& kernel, std::int64_t batch);

}  // namespace graft::families::fft
