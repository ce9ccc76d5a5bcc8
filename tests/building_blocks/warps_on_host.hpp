// Runs the threads of a thread block on the CPU, as a GPU does with warps of 32 threads that can exchange values. Each
// thread is a fiber with a stack of its own. A thread that calls a function of a warp or of the block (a shuffle, a
// ballot, a barrier) waits until all threads that take part wait at the same function.
#pragma once

#include <functional>

namespace blocks {

// How threads of a warp that reach __activemask without waiting for each other come together there. A GPU promises
// nothing, so results must be equal.
enum class Convergence { Together, InHalves, Alone };

// Runs `thread` once for each of `threads` threads, which must be a multiple of 32. `enter` is called with a thread's
// number whenever the thread begins or goes on. Throws std::logic_error if threads wait for each other forever.
void run_threads(unsigned threads, Convergence convergence, const std::function<void(unsigned)>& enter,
                 const std::function<void()>& thread);

}  // namespace blocks

// ---- CUDA's functions, for the thread that runs ----

unsigned int __activemask();
unsigned int __match_any_sync(unsigned int mask, unsigned long long value);
unsigned int __ballot_sync(unsigned int mask, bool value);
bool __all_sync(unsigned int mask, bool value);
unsigned int __shfl_xor_sync(unsigned int mask, unsigned int value, int distance);
int __syncthreads_count(bool value);
