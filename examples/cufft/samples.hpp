// The data of the cuFFT example: frames of radio samples, as receivers deliver them (pairs of signed bytes), and the
// complex numbers that the load callback must compute from them.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace cufft_example {

inline constexpr int kLength = 1024;  // samples in a frame, which is also the size of the FFT
inline constexpr int kFrames = 64;

// This struct has the layout of CUDA's char2.
struct Sample {
  signed char in_phase;
  signed char quadrature;
};

// Returns a tone in noise. The samples are the same in every run.
std::vector<Sample> make_samples();

// Returns the weights of a periodic Hann window, one for each sample of a frame.
std::vector<float> make_window();

// Returns the reference for the load callback, computed on the CPU: samples scaled to [-1, 1) and windowed.
std::vector<std::complex<float>> windowed(const std::vector<Sample>& samples, const std::vector<float>& window);

// Returns |a - b| / |b| over whole arrays, in double precision, or infinity if the sizes differ.
double distance(const std::vector<std::complex<float>>& a, const std::vector<std::complex<float>>& b);

}  // namespace cufft_example
