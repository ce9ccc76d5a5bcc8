// Compiles the building block (building_blocks/elementwise/transform.cu, the part of a kernel that is the same for
// every callback) for the CPU. This file supplies what a GPU has (threadIdx, funnel shift) and defines the functions by
// which the building block asks for element sizes, array counts and tuning. These functions read the current subject (a
// callback with its adapter, subject.hpp) and tuning at run time, so one compiled copy serves all subjects and tunings.
//
// This file is compiled a second time, with GRAFT_HAS_BITS defined as true, for the building block with bit arrays.
#include "block_on_host.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "exact_array.hpp"
#include "host.h"
#include "host_bits.h"
#if GRAFT_HAS_BITS
#include "bits_on_host.hpp"
#endif

namespace {

struct ThreeNumbers {
  unsigned int x = 0;
};
ThreeNumbers threadIdx;
ThreeNumbers blockIdx;
ThreeNumbers blockDim;

[[maybe_unused]] unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

const blocks::Subject* subject_now = nullptr;
blocks::Policy policy_now;
[[maybe_unused]] blocks::ViewKernel view_kernel_now;

#if !GRAFT_HAS_BITS
unsigned int __byte_perm(unsigned int low, unsigned int high, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) result |= static_cast<unsigned int>(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
}

// A thread block runs twice: first each thread until the barrier, and then each from the start to the end. In front of
// the barrier, threads only write to shared memory, and write the same both times.
struct AtBarrier {};
bool ends_at_barrier = false;
void __syncthreads() {
  if (ends_at_barrier) throw AtBarrier();
}
std::unique_ptr<blocks::ExactArray> shared_memory;
#endif

}  // namespace

#ifdef __clang__
// clang obeys `#pragma unroll` even for loops whose count is known only at run time, and then compiles for minutes.
#pragma clang optimize off
#endif
#include "elementwise/transform.cu"
// On the GPU, selective callbacks (callbacks that return graft::Store) have a compiled copy of tile.cu of their own.
#define GRAFT_SELECTIVE (subject_now->signature.is_selective())
// tile.cu defines functions that transform.cu declares, and comes after it as in the programs that graft generates.
#include "elementwise/tile.cu"
#if !GRAFT_HAS_BITS
// The building blocks for views define the same function.
#define graft_transform graft_transform_strided
#include "elementwise/strided.cu"
#undef graft_transform
#define graft_transform graft_transform_transposed
#include "elementwise/transposed.cu"
#undef graft_transform
#include "elementwise/indirect_views.cu"
unsigned int graft_shape_place() {
  return view_kernel_now.shape_place;
}
int graft_is_transposed(int k) {
  return view_kernel_now.transposed >> k & 1;
}
int graft_tile_edge() {
  return static_cast<int>(view_kernel_now.edge);
}
unsigned char* graft_tiles() {
  return reinterpret_cast<unsigned char*>(shared_memory->data());
}
#endif

// On the GPU, link-time optimisation folds the results of these functions into the building block as constants. Here
// the building block calls the functions at run time.
int graft_input_count() {
  return subject_now->input_count();
}
int graft_input_size(int k) {
  return subject_now->input_size(k);
}
int graft_input_alignment(int k) {
  return subject_now->input_alignment(k);
}
int graft_output_count() {
  return subject_now->output_count();
}
int graft_output_size(int k) {
  return subject_now->output_size(k);
}
int graft_output_alignment(int k) {
  return subject_now->output_alignment(k);
}
unsigned int graft_apply(const graft_share* inputs, graft_share* outputs, int place, unsigned long long index,
                         const graft_launch* launch) {
  return subject_now->apply(inputs, outputs, place, index, launch);
}
int graft_vector_width() {
  return policy_now.vector_width;
}
int graft_vectors_per_thread() {
  return policy_now.vectors_per_thread;
}
int graft_body() {
  return policy_now.body;
}
int graft_may_use_shared() {
  return 0;
}
int graft_programmatic_launch() {
  return 0;
}

namespace blocks {

std::vector<const Subject*>& subjects() {
  static std::vector<const Subject*> all;
  return all;
}

const Subject& subject(const std::string& name) {
  const auto found = std::find_if(subjects().begin(), subjects().end(),
                                  [&](const Subject* candidate) { return candidate->name == name; });
  return **found;
}

void run_block(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned block, Order order) {
  subject_now = &subject;
  policy_now = policy;
  blockIdx.x = block;
  blockDim.x = policy.threads;
  for (unsigned i = 0; i < policy.threads; ++i) {
    threadIdx.x = order == Order::Forwards ? i : policy.threads - 1 - i;
    graft_transform(launch);
  }
}

void run_grid(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned blocks, Order order) {
  for (unsigned i = 0; i < blocks; ++i)
    run_block(subject, policy, launch, order == Order::Forwards ? i : blocks - 1 - i, order);
}

#if !GRAFT_HAS_BITS
namespace {

void thunk(const graft_launch* launch, unsigned long long index, void* const* places) {
  graft_share inputs[GRAFT_MAX_INPUTS], outputs[GRAFT_MAX_OUTPUTS];
  const int count = subject_now->input_count();
  for (int k = 0; k < count; ++k)
    std::memcpy(inputs[k].words, places[k], static_cast<std::size_t>(subject_now->input_size(k)));
  if (subject_now->apply(inputs, outputs, 0, index, launch) == 0) return;
  for (int k = 0; k < subject_now->output_count(); ++k)
    std::memcpy(places[count + k], outputs[k].words, static_cast<std::size_t>(subject_now->output_size(k)));
}

}  // namespace

void run_indirect_views(const Subject& subject, const graft_launch* launch, const graft_shape* shape, unsigned blocks,
                        unsigned threads, Order order) {
  subject_now = &subject;
  blockDim.x = threads;
  const unsigned all = blocks * threads;
  for (unsigned i = 0; i < all; ++i) {
    const unsigned thread = order == Order::Forwards ? i : all - 1 - i;
    blockIdx.x = thread / threads;
    threadIdx.x = thread % threads;
    graft_indirect_views(launch, shape, static_cast<unsigned>(subject.input_count() + subject.output_count()), thunk);
  }
}

void run_views(const Subject& subject, const ViewKernel& kernel, const graft_launch* launch, unsigned blocks,
               unsigned threads, Order order) {
  subject_now = &subject;
  policy_now = {.vector_width = kernel.width};
  view_kernel_now = kernel;
  blockDim.x = threads;
  const auto for_each_thread = [&](auto run) {
    for (unsigned i = 0; i < threads; ++i) {
      threadIdx.x = order == Order::Forwards ? i : threads - 1 - i;
      run();
    }
  };
  for (unsigned i = 0; i < blocks; ++i) {
    blockIdx.x = order == Order::Forwards ? i : blocks - 1 - i;
    if (kernel.transposed == 0) {
      for_each_thread([&] { graft_transform_strided(launch); });
      continue;
    }
    std::size_t bytes = 0;
    for (int k = 0; k < subject.input_count(); ++k)
      if (graft_is_transposed(k)) bytes += std::size_t{kernel.edge} * kernel.edge * subject.input_size(k);
    shared_memory = std::make_unique<ExactArray>(bytes, 0);
    shared_memory->fill(std::byte{0xa5});
    ends_at_barrier = true;
    for_each_thread([&] {
      try {
        graft_transform_transposed(launch);
      } catch (AtBarrier) {
        return;
      }
      throw std::logic_error("a thread has ended without the barrier");
    });
    ends_at_barrier = false;
    for_each_thread([&] { graft_transform_transposed(launch); });
  }
}
#else
void run_bits(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned blocks,
              Convergence convergence) {
  subject_now = &subject;
  policy_now = policy;
  blockDim.x = policy.threads;
  for (unsigned block = 0; block < blocks; ++block) {
    blockIdx.x = block;
    run_threads(
        policy.threads, convergence, [](unsigned thread) { threadIdx.x = thread; }, [&] { graft_transform(launch); });
  }
}
#endif

}  // namespace blocks
