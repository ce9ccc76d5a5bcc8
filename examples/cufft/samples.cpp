// Computes the signal, the window, and the reference: the load callback's results, computed on the CPU.
#include "samples.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace cufft_example {

std::vector<Sample> make_samples() {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> noise(-20.0f, 20.0f);
  std::vector<Sample> samples(static_cast<std::size_t>(kLength) * kFrames);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const float angle = 0.3f * static_cast<float>(i % kLength);
    samples[i] = {static_cast<signed char>(100.0f * std::cos(angle) + noise(generator)),
                  static_cast<signed char>(100.0f * std::sin(angle) + noise(generator))};
  }
  return samples;
}

std::vector<float> make_window() {
  std::vector<float> weights(kLength);
  for (int n = 0; n < kLength; ++n)
    weights[static_cast<std::size_t>(n)] =
        static_cast<float>(0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * n / kLength));
  return weights;
}

std::vector<std::complex<float>> windowed(const std::vector<Sample>& samples, const std::vector<float>& window) {
  std::vector<std::complex<float>> result(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const float weight = window[i % kLength] / 128;
    result[i] = {weight * static_cast<float>(samples[i].in_phase), weight * static_cast<float>(samples[i].quadrature)};
  }
  return result;
}

double distance(const std::vector<std::complex<float>>& a, const std::vector<std::complex<float>>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, whole = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::norm(std::complex<double>(a[i]) - std::complex<double>(b[i]));
    whole += std::norm(std::complex<double>(b[i]));
  }
  return std::sqrt(difference / whole);
}

}  // namespace cufft_example
