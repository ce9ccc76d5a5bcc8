// building_blocks/elementwise/transform.cu itself, run on the CPU one thread after the other. Built with
// AddressSanitizer and UndefinedBehaviorSanitizer it shows each access outside an array and each word that is not
// aligned.
#pragma once

#include "subject.hpp"

namespace blocks {

// The policy's answers.
struct Policy {
  int vector_width = 1;
  int vectors_per_thread = 1;
  int body = GRAFT_BODY_VECTOR;
  unsigned threads = GRAFT_BLOCK_THREADS;
};

// The GPU promises no order among threads, so none may show.
enum class Order { Forwards, Backwards };

void run_block(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned block, Order order);
void run_grid(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned blocks, Order order);

}  // namespace blocks
