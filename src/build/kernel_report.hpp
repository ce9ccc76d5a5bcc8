// What a report says of a linked kernel, whichever route made it.
#pragma once

#include "build/linked.hpp"
#include "build/source_program.hpp"
#include "graft/image.hpp"
#include "plan/policy.hpp"

namespace graft::building {

struct KernelFacts {
  const SourceProgram& program;
  const Signature& signature;
  Architecture architecture;
  const plan::Policy& policy;
};

// Moves the code into the image.
void fill_image(Image::Data& image, const KernelFacts& facts, Linked linked);

}  // namespace graft::building
