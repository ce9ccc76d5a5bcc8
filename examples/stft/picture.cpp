// Maps decibels from kFloor to 0 to gray levels from 0 to 255.
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>

namespace stft {

void write_picture(const std::filesystem::path& file, const Spectrogram& spectrogram) {
  constexpr std::size_t kHeight = kLength / 2;
  std::string pixels;
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t frame = 0; frame < spectrogram.frames; ++frame) {
      const float loudness = 1 - std::clamp(spectrogram.at(frame, kHeight - 1 - y) / kFloor, 0.0F, 1.0F);
      pixels.push_back(static_cast<char>(std::lround(255 * loudness)));
    }
  std::ofstream stream(file, std::ios::binary);
  stream << fmt::format("P5\n{} {}\n255\n", spectrogram.frames, kHeight) << pixels << std::flush;
  if (!stream) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace stft
