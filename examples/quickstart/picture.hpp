// A generated colour picture, and writers for binary PPM and PGM files, which every viewer opens.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace quickstart {

// This struct has the layout of graft::callbacks::Rgb8.
struct Rgb {
  unsigned char r, g, b;
};

inline constexpr std::size_t kWidth = 3840;
inline constexpr std::size_t kHeight = 2160;

// Returns coloured rings over a gradient, with random grain.
std::vector<Rgb> generate_picture();

// Both functions write kWidth x kHeight pixels to a file and throw std::runtime_error if the file cannot be written.
void write_colour(const std::filesystem::path& file, const std::vector<Rgb>& pixels);
void write_gray(const std::filesystem::path& file, const std::vector<unsigned char>& pixels);

}  // namespace quickstart
