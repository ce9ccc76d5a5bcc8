// Describes one run of the building block on the CPU (block_on_host.hpp) with its callback, tuning and arrays, and
// compares the results with the reference (reference.hpp).
#pragma once

#include <string>
#include <vector>

#include "block_on_host.hpp"

namespace blocks {

struct Scenario {
  const Subject* subject = nullptr;
  Policy policy;
  std::size_t count = 0;
  // The offset of each input, then of each output, in bytes from a 64-byte boundary.
  std::vector<std::size_t> offsets = {};
  // If true, the first output shares its memory with the first input whose elements have the same size, if there is
  // such an input.
  bool in_place = false;
  Order order = Order::Forwards;
  unsigned seed = 0;  // seed of the inputs' random bytes
};

std::string to_text(const Scenario& scenario);

std::size_t tile_of(const Policy& policy);

// Returns offsets that leave all arrays equally aligned: each array starts `elements` elements after a 64-byte
// boundary, so skipping the same number of leading elements (the head) aligns every array.
std::vector<std::size_t> alike(const Subject& subject, std::size_t elements);

// Runs the scenario, computes the reference with a loop over the same bytes, and compares the outputs, the inputs and
// the bytes before each array with the reference. Returns the first difference, or an empty text if there is none. The
// number of head elements and the grid are computed as for a launch on the GPU.
std::string difference(const Scenario& scenario);

}  // namespace blocks
