// Writes a spectrogram as a gray picture: time to the right, frequency upwards, loud is white.
#pragma once

#include <filesystem>

#include "spectrogram.hpp"

namespace stft {

// Writes a binary PGM file of the frequencies below half the sample rate. Throws std::runtime_error if that fails.
void write_picture(const std::filesystem::path& file, const Spectrogram& spectrogram);

}  // namespace stft
