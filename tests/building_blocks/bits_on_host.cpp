// Compiles the building block with bit arrays for the CPU, as block_on_host.cpp does without them.
#include "bits_on_host.hpp"

#include <algorithm>

#include "host.h"

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

}  // namespace

#ifdef __clang__
// clang obeys `#pragma unroll` even for loops whose count is known only at run time, and then compiles for minutes.
#pragma clang optimize off
#endif
#include "elementwise/transform.cu"
#define GRAFT_SELECTIVE (subject_now->signature.is_selective())
#define GRAFT_HAS_BITS true
#include "elementwise/tile.cu"

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
  return **std::ranges::find(subjects(), name, &Subject::name);
}

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

}  // namespace blocks
