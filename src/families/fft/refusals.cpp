#include "families/fft/refusals.hpp"

#include <array>

#include "contract.h"
#include "fft/refusals.h"

namespace graft::families::fft {
namespace {

// In the order of FftRefusal.
constexpr std::array<reflect::RefusalWords, 3> kWords = {{
    {"the load callback", "does not return a point of the FFT",
     "Return a complex number of the FFT's precision: float2 or a struct of two floats for single precision, double2 "
     "for double. There are no real FFTs: return {x, 0} for a real number x. The point is the callback's only output, "
     "and no array has graft::Bit."},
    {"the callback between", "does not turn one frequency into one frequency",
     "Take and return a complex number of the FFT's precision, such as float2. A state and graft::Index may follow, "
     "but no arrays."},
    {"the store callback", "does not take a point of the FFT, or has not exactly one output",
     "Take a complex number of the FFT's precision, float2 or double2: as the first parameter, or as `element` in a "
     "callback of cuFFT's shape. There are no real FFTs: store the number's real part. A callback of another shape may "
     "take elements of further arrays, and returns the element to be stored."},
}};
static_assert(graft_adapter::kFftBetween == graft_adapter::kFftLoad + 1 &&
              graft_adapter::kFftStore == graft_adapter::kFftLoad + 2);

}  // namespace

reflect::RefusalWords refusal_words(unsigned number) {
  return kWords.at(number - graft_adapter::kFftLoad);
}

}  // namespace graft::families::fft
