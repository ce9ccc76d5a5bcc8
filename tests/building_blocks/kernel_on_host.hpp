// Runs the text of an exact kernel on the CPU, one thread after the other. Its inline assembly becomes C++, and CUDA's
// words come from the host route's headers. In sanitizer builds the text is compiled with the same sanitizers, so they
// report each access outside an array, which a GPU often lets pass.
#pragma once

#include <functional>
#include <string>

#include "families/call.hpp"

namespace graft::test {

// Returns the same text with C++ in place of the lines of inline assembly. Knows the instructions that exact kernels
// for views have: loads, stores and moves, with predicates. Throws std::runtime_error for any other.
std::string without_assembly(const std::string& text);

class KernelOnHost {
 public:
  // `text` is the text of a kernel whose only parameter has the type graft_views, and `name` is the kernel's name.
  KernelOnHost(const std::string& text, const std::string& name);
  ~KernelOnHost();
  KernelOnHost(const KernelOnHost&) = delete;
  KernelOnHost& operator=(const KernelOnHost&) = delete;

  // Runs all threads. Those of a block run twice if the kernel has a barrier: first each to the barrier, and then each
  // from the start to the end, because in front of the barrier they write the same each time.
  void run(const families::Launch& launch);

  // Whether all words that were loaded and stored were aligned, as a GPU demands.
  bool was_aligned() const;

 private:
  template <class T>
  T& symbol(const char* name) const;

  void* library_;
};

}  // namespace graft::test
