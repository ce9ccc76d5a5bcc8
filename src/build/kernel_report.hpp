// What a report says of a linked kernel, whichever route made it.
#pragma once

#include "build/linked.hpp"
#include "build/source_program.hpp"
#include "core/image_data.hpp"
#include "kernel/policy.hpp"

namespace graft::building {

// Stands among the functions that a kernel still calls where it calls one by its address.
inline constexpr const char* kThroughPointer = "(through a pointer)";

struct KernelFacts {
  const SourceProgram& program;
  const Signature& signature;
  Architecture architecture;
  const kernel::Policy& policy;
  const Options& options;
};

// Adds the callback to the functions that are called where the linker has not listed it: it names no function of a
// cubin, and calls graft's own ones by their own names.
void list_call(LinkFindings& findings, const std::string& entry);

// Names each override of the policy that was given to a route without one ("indirect", "host").
void note_policy_without_effect(const PolicyOverrides& policy, Report& report);

// Moves the code into the image.
void fill_image(Image::Data& image, const KernelFacts& facts, Linked linked);

}  // namespace graft::building
