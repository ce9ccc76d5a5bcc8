// How a kernel's threads walk through the elements, and how a launch divides the elements among them.
#pragma once

#include <cstdint>

namespace graft {

enum class Body : std::uint8_t {
  Vector,  // 16-byte words in registers, all of a thread's elements unrolled
  Rolled,  // one element per thread: for callbacks too heavy to unroll
};

// Every decision about a kernel that is not its code. The routes Indirect and Host have none, and keep the defaults.
struct Tuning {
  int vector_width = 1;  // elements side by side per thread
  int vectors_per_thread = 1;
  Body body = Body::Vector;
  int block_threads = 256;
  bool programmatic_launch = false;  // see PolicyOverrides
  int few_tiles = 0;                 // where there are no more, each element has a thread of its own
  std::uint64_t single_below = 0;    // with fewer elements a thread handles one group of them, in blocks of 256

  // A new one comes last: files keep them by their place.
  //
  // Calls visit("vector_width", &Tuning::vector_width) and so on, for each decision: what shows, keeps or compares a
  // tuning has no list of its own.
  template <class Visit>
  static constexpr void visit_fields(Visit&& visit) {
    visit("vector_width", &Tuning::vector_width);
    visit("vectors_per_thread", &Tuning::vectors_per_thread);
    visit("body", &Tuning::body);
    visit("block_threads", &Tuning::block_threads);
    visit("programmatic_launch", &Tuning::programmatic_launch);
    visit("few_tiles", &Tuning::few_tiles);
    visit("single_below", &Tuning::single_below);
  }

  bool operator==(const Tuning&) const = default;
};

}  // namespace graft
