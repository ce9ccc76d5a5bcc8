// Computes the spectrogram of a chirp, a tone whose frequency rises, and writes the spectrogram as a picture. The
// loudest frequency of each frame must be that of the chirp in the middle of the frame. The picture's folder is the
// first argument. Exits with 1 if the spectrogram is wrong or anything else fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <ranges>

#include "picture.hpp"
#include "spectrogram.hpp"
#include "support/cuda.hpp"

namespace {

constexpr double kRate = 8000;  // samples per second
constexpr double kSeconds = 4;
constexpr double kLowest = 200, kHighest = 3600;  // Hz

double frequency_at(double seconds) {
  return kLowest + (kHighest - kLowest) * seconds / kSeconds;
}

std::vector<short> chirp() {
  std::vector<short> samples(static_cast<std::size_t>(kRate * kSeconds));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = static_cast<double>(i) / kRate;
    const double turns = kLowest * t + (kHighest - kLowest) / kSeconds * t * t / 2;  // the integral of the frequency
    samples[i] = static_cast<short>(std::lround(32767 * std::sin(2 * std::numbers::pi * turns)));
  }
  return samples;
}

// In Hz.
double loudest_frequency(const stft::Spectrogram& spectrogram, std::size_t frame) {
  std::size_t best = 1;
  for (std::size_t k = 1; k < stft::kLength / 2; ++k)
    if (spectrogram.at(frame, k) > spectrogram.at(frame, best)) best = k;
  return static_cast<double>(best) * kRate / stft::kLength;
}

// The largest distance of the loudest frequency from the chirp's, in Hz. Within a frame, the chirp rises by 54 Hz.
double largest_distance(const stft::Spectrogram& spectrogram) {
  const auto distance = [&](std::size_t frame) {
    const double middle = static_cast<double>(frame * stft::kHop + stft::kLength / 2) / kRate;
    return std::abs(loudest_frequency(spectrogram, frame) - frequency_at(middle));
  };
  return std::ranges::max(std::views::iota(std::size_t{0}, spectrogram.frames) | std::views::transform(distance));
}

}  // namespace

int main(int argc, char** argv) try {
  const bool has_gpu = examples::use_gpu();
  fmt::print("A chirp from {} to {} Hz, on {}\n", kLowest, kHighest, has_gpu ? examples::gpu_name() : "the CPU");
  const stft::Spectrogram spectrogram = stft::spectrogram_of(chirp(), has_gpu);
  const std::filesystem::path file = std::filesystem::path(argc > 1 ? argv[1] : ".") / "spectrogram.pgm";
  stft::write_picture(file, spectrogram);
  fmt::print("{} frames of {} samples: {}\n", spectrogram.frames, stft::kLength, file.string());
  const double distance = largest_distance(spectrogram);
  const double tolerance = 2 * kRate / stft::kLength;
  fmt::print("The loudest frequencies are within {:.1f} Hz of the chirp's, tolerance {:.1f} Hz: {}\n", distance,
             tolerance, distance <= tolerance ? "ok" : "DIFFERENT");
  return distance <= tolerance ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
