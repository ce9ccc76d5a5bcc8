// A subject is one callback with its adapter, which is graft's own code for calling the callback from the building
// block, and with a reference that computes the expected results without the adapter.
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

  // The functions of the adapter that the building block calls: all but `apply` tell the building block the number of
  // arrays and the sizes and alignments of their elements, and `apply` calls the callback for one element.
  int (*input_count)();
  int (*input_size)(int);
  int (*input_alignment)(int);
  int (*output_count)();
  int (*output_size)(int);
  int (*output_alignment)(int);
  unsigned int (*apply)(const graft_share*, graft_share*, int, unsigned long long, const graft_launch*);

  // Computes one element without the adapter, by calling the callback directly.
  void (*reference)(const std::byte* const* inputs, std::byte* const* outputs, unsigned long long index,
                    const void* state);
};

// Returns all subjects. Each subject is subject.cpp compiled with another value of GRAFT_SUBJECT.
std::vector<const Subject*>& subjects();
const Subject& subject(const std::string& name);

}  // namespace blocks
