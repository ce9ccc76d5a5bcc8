// A spectrogram by a short-time Fourier transform (STFT): FFTs of overlapping frames of a signal of 16-bit samples. One
// kernel converts the samples, multiplies each frame by a Hann window, transforms it, and stores its power in decibels.
#pragma once

#include <cstddef>
#include <vector>

namespace stft {

inline constexpr std::size_t kLength = 512;  // samples in a frame, which is also the FFT's length
inline constexpr std::size_t kHop = 128;     // samples from the begin of one frame to that of the next
inline constexpr float kFloor = -100;        // the smallest value in decibels

// Row b holds the decibels of frame b at the frequencies k * rate / kLength, for k from 0 to kLength - 1. The rows
// follow each other. A sine of the largest amplitude has 0 dB.
struct Spectrogram {
  std::size_t frames = 0;
  std::vector<float> decibels;

  float at(std::size_t frame, std::size_t k) const { return decibels[frame * kLength + k]; }
};

// Runs on the GPU, or on the CPU by the route `host`. The signal has at least kLength samples.
Spectrogram spectrogram_of(const std::vector<short>& signal, bool has_gpu);

}  // namespace stft
