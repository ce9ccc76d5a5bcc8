// A batch of FFTs in one direction as a subject of measurements, whose items are the FFTs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "cli/bench/subject.hpp"
#include "graft/fft.hpp"

namespace graft::cli {

struct FftItems {
  std::uint64_t in = 0, out = 0;  // elements of an FFT in the arrays
  Direction direction = Direction::Forward;
};

// Loads the kernels, which are those of one FFT, for calls of at most so many FFTs. Throws what Fft::load throws.
std::unique_ptr<const Subject> fft_subject(const std::vector<Image>& images, int device, std::uint64_t most_batch,
                                           base::Bytes state, const FftItems& items);

}  // namespace graft::cli
