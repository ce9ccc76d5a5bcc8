// The kernels of a list for GPUs that were measured (`graft tune`).
//
// `graft warm` needs no GPU, and a filled cache may serve several: an engine on a GPU with a tuning file asks for other
// kernels than one on a GPU without. So each kernel of a list is made by graft's own rules, and once more for each file
// that engines with this cache could find on a GPU of the kernel's architecture, if the file changes the kernel.
#pragma once

#include "cli/commands/warm_list.hpp"
#include "engine/tunings.hpp"

namespace graft::cli {

// Adds these kernels to the list, behind those that the same line has for the same architecture. Throws what
// engine::Tunings::of_all_gpus throws.
void add_tuned_kernels(WarmList& list, engine::Tunings& tunings);

}  // namespace graft::cli
