// Runs building_blocks/elementwise/transform.cu itself on the CPU, one thread after the other. AddressSanitizer and
// UndefinedBehaviorSanitizer then report each access outside an array, which a GPU often lets pass, and each misaligned
// word.
#pragma once

#include <cstdint>

#include "subject.hpp"

namespace blocks {

// The tuning values that the building block asks for.
struct Policy {
  int vector_width = 1;
  int vectors_per_thread = 1;
  int body = GRAFT_BODY_VECTOR;
  unsigned threads = GRAFT_BLOCK_THREADS;
};

// What the building blocks for views ask for: building_blocks/elementwise/transposed.cu if inputs lie crosswise, else
// strided.cu.
struct ViewKernel {
  unsigned shape_place = 0;  // where graft_shape is in the parameter
  int width = 1;
  std::uint32_t transposed = 0;  // inputs, a bit for each
  unsigned edge = 0;             // of tiles
};

// The order in which the threads of a thread block run. A GPU promises no order, so results must be equal for both
// orders.
enum class Order { Forwards, Backwards };

void run_block(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned block, Order order);
// Runs a building block for views in its place.
void run_views(const Subject& subject, const ViewKernel& kernel, const graft_launch* launch, unsigned blocks,
               unsigned threads, Order order);
// Runs the building block of the route `indirect` for views, with a thunk that calls the subject's adapter.
void run_indirect_views(const Subject& subject, const graft_launch* launch, const graft_shape* shape, unsigned blocks,
                        unsigned threads, Order order);
void run_grid(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned blocks, Order order);

}  // namespace blocks
