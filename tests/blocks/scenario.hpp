// One run of the block: which callback, under which policy, over which arrays; and whether it did what it should.
#pragma once

#include <string>
#include <vector>

#include "block_on_host.hpp"

namespace blocks {

struct Scenario {
  const Subject* subject = nullptr;
  Policy policy;
  std::size_t count = 0;
  std::vector<std::size_t> offsets = {};  // of each array from 64-byte alignment, in bytes; inputs, then outputs
  bool in_place = false;                  // the first output is the first input of the same size, if there is one
  Order order = Order::Forwards;
  unsigned seed = 0;  // of the inputs' bytes
};

std::string to_text(const Scenario& scenario);

std::size_t tile_of(const Policy& policy);

// Offsets that one head aligns: every array begins `elements` elements behind a 64-byte boundary.
std::vector<std::size_t> alike(const Subject& subject, std::size_t elements);

// Empty when outputs, untouched inputs and fronts are as a plain loop over the same bytes leaves them; else what
// differs. The launch's head and grid come from src/launch, as on the GPU.
std::string difference(const Scenario& scenario);

}  // namespace blocks
