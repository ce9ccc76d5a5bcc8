// Why the callbacks of a reduction are refused, besides the refusals that every family of kernels has (contract.h).
// Included before hooks.h, which finds these refusals, and by the host (src/families/reduce/words.hpp), which has their
// messages.
#pragma once

namespace graft_adapter {

enum ReduceRefusal : unsigned {
  kReduceMap = kFirstFamilyRefusal,
  kReduceCombine,
  kReduceFinish,
  kReduceAccumulator,
  kReduceMapDiffers,
  kReduceFinishDiffers,
  kReducePosition,
  kReduceInitial,
  kReduceStored,
  kReduceElement,
};

}  // namespace graft_adapter
