// Finds thread words: words that make a callback depend on the threads that run together with the thread that calls the
// callback, such as barriers, thread and block indices, shared memory and warp shuffles.
//
// A callback gets one element at a time, and graft chooses the thread that calls it. This choice depends on how the
// kernel was built: on the number of elements that a thread loads at once, and on whether the kernel unrolls the
// callback. At the end of an array, some threads have no element at all. So the same thread word may have different
// effects in two kernels of the same callback, and graft refuses thread words unless Options::allow_thread_words is
// set.
//
// The search must not refuse a correct program. A file of device code may have kernels and helpers beside the callback,
// so a thread word counts only if the callback can reach it: the search begins with the names in the entry, and follows
// every name to the functions, classes, variables and macros of that name in the text.
//
//     __device__ int lane() { return threadIdx.x & 31; }   counts only if the callback mentions `lane`
//     __global__ void kernel() { __syncthreads(); }        does not count
//
// A name does not reach a kernel, which no callback can call, and it does not reach what a parameter, local variable or
// member of the same name hides (reflect/declared_names.hpp).
//
// A word is possible and not certain if the text alone does not show whether the compiler sees it: the word is in a
// branch of an #if, macros hide where functions begin, or the text defines a name several times. Headers are not
// searched: CUDA's own headers are full of thread words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graft/options.hpp"
#include "reflect/lexer.hpp"

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
  std::string word;         // as written; in assembly the register or instruction: "%tid.x", "bar.sync"
  int line = 0;             // 0 if the word is in the entry or in Options::defines
  int column = 0;           // from 1, counted in bytes; 0 if the line or one before it is continued by a backslash
  bool is_certain = false;  // the text shows that the callback reaches the word
  bool operator==(const ThreadWord&) const = default;
};

// Returns the thread words that the callback can reach, in the text's order; each word once, at its first certain
// place if there is one. `entry` is the callback's name, an expression that makes a function object, or empty for the
// only function or lambda of the text. Words in strings and comments do not count, except in assembly.
// `device_by_default`: the text is compiled with --device-as-default-execution-space.
std::vector<ThreadWord> find_thread_words(std::string_view text, std::string_view entry,
                                          std::span<const Define> defines = {}, bool device_by_default = false);

// Returns whether the text or the replacement of a macro has the word __shared__.
bool mentions_shared_memory(const Code& code);
bool mentions_shared_memory(std::string_view text);

}  // namespace graft::reflect
