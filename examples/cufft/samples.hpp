// The example's data: frames of radio samples, as receivers deliver them (pairs of signed bytes), and the complex
// numbers that the load callback must compute from them.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace cufft_example {

inline constexpr int kLength = 1024;  // samples in a frame, and the FFT's size
inline constexpr int kFrames = 64;

// Has the layout of CUDA's char2.
struct Sample {
  signed char in_phase;
  signed char quadrature;
};

// A tone in noise, the same in every run.
std::vector<Sample> make_samples();

// The weights of a periodic Hann window, one for each sample of a frame.
std::vector<float> make_window();

// The reference for the load callback, computed on the CPU: samples scaled to [-1, 1) and windowed.
std::vector<std::complex<float>> windowed(const std::vector<Sample>& samples, const std::vector<float>& window);

// |a - b| / |b| over whole arrays, in double precision; infinity when the sizes differ.
double distance(const std::vector<std::complex<float>>& a, const std::vector<std::complex<float>>& b);

}  // namespace cufft_example
