// Why the callbacks of an FFT are refused, besides the refusals that every family of kernels has (contract.h). Included
// before hooks.h, which finds these refusals, and by the host (src/families/fft/words.hpp), which has their messages.
#pragma once

namespace graft_adapter {

enum FftRefusal : unsigned {
  kFftLoad = kFirstFamilyRefusal,
  kFftBetween,
  kFftStore,
  kFftPosition,
};

}  // namespace graft_adapter
