// Kernels of the user's own (graft::Kernel), as a family: what loaded jobs, packs and the cache ask about a kernel. They
// have no callback of elements and no tuning, and routes/slot_route.cpp makes them.
#pragma once

#include <string>
#include <vector>

#include "base/record.hpp"
#include "families/family.hpp"
#include "graft/kernel.hpp"

namespace graft::families {

// What a request asks for, as the record of Step::request. The callbacks are the parts of the step's composition behind
// its first part, which is the code of the kernels.
struct AskedKernels {
  std::vector<std::string> entries = {};  // as KernelCode::entries
  std::vector<std::string> slots = {};    // the name of each callback's slot
};

template <class Codec, base::Is<AskedKernels> T>
void fields(Codec& codec, T& asked) {
  codec.field(1, asked.entries);
  codec.field(2, asked.slots);
}

const Family& own_kernels();

// The job of the kernels of `code` with these callbacks. Throws Error(InvalidArgument) if a callback has no slot's name,
// or is a composition or a pack.
Job job_of_own_kernels(const KernelCode& code, const std::vector<SlotCallback>& callbacks);

}  // namespace graft::families
