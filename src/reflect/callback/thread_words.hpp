// Finds thread words: words that make a callback depend on the threads that run together with the thread that calls the
// callback, such as barriers, thread and block indices, shared memory and warp shuffles. engine/thread_check refuses
// them.
//
// A callback gets one element at a time, and graft chooses the thread that calls it. This choice depends on how the
// kernel was built: on the number of elements that a thread loads at once, and on whether the kernel unrolls the
// callback. At the end of an array, some threads have no element at all. So the same thread word may have different
// effects in two kernels of the same callback, and graft refuses thread words unless Options::allow_thread_words is
// set.
//
// The search must not refuse a correct program. A file of device code may have kernels and helpers beside the callback,
// so a thread word counts only in the functions and classes that the entry names, in the functions that they call by
// name, and in the classes that they name:
//
//     __device__ int lane() { return threadIdx.x & 31; }   counts only if the callback calls `lane`
//     __global__ void kernel() { __syncthreads(); }        does not count
//
// The search follows only names that the text defines once, and reads no macros. Headers are not searched: CUDA's own
// headers are full of thread words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reflect/text/text.hpp"

namespace graft::reflect {

struct ThreadWord {
  // What the word is for, which decides what to use in its place.
  enum Use : std::uint8_t {
    Barrier,       // __syncthreads
    Index,         // threadIdx
    SharedMemory,  // __shared__
    Exchange,      // __shfl_sync
  };
  Use use = Barrier;
  std::string word;  // as written; in assembly the register or instruction: "%tid.x", "bar.sync"
  int line = 0;      // 0 if the word is in the entry
  int column = 0;    // from 1, counted in bytes; 0 if the line or one before it is continued by a backslash
  // False if the word is in a branch of an #if, or if somewhere in the text it may be a name of the user's own.
  bool is_certain = false;
  bool operator==(const ThreadWord&) const = default;
};

// Returns the thread words of the callback in the text's order; each word once, at its first certain place if there is
// one. `entry` is the callback's name, an expression that makes a function object, or empty for the only function or
// lambda of the text. Words in strings and comments do not count, except in assembly. `device_by_default`: the text is
// compiled with --device-as-default-execution-space.
std::vector<ThreadWord> find_thread_words(const Text& text, const Text& entry, bool device_by_default = false);

}  // namespace graft::reflect
