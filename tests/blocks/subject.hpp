// One callback fitted by the real adapter, and beside it what the block should make of it, found without the adapter.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "contract.h"
#include "graft/signature.hpp"

namespace blocks {

struct Subject {
  std::string name;
  graft::Signature signature;

  // The adapter's answers to the block.
  int (*input_count)();
  int (*input_size)(int);
  int (*input_alignment)(int);
  int (*output_count)();
  int (*output_size)(int);
  int (*output_alignment)(int);
  void (*apply)(const graft_share*, graft_share*, int, unsigned long long, const graft_launch*);

  // One element as a plain loop would do it, with a call through the callback's own type.
  void (*reference)(const std::byte* const* inputs, std::byte* const* outputs, unsigned long long index,
                    const void* state);
};

// All of them; each is compiled from subject.cpp with its own GRAFT_SUBJECT.
std::vector<const Subject*>& subjects();
const Subject& subject(const std::string& name);

}  // namespace blocks
