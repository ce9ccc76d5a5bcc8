// A generated colour picture, and writers for binary PPM and PGM files, which every viewer opens.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace quickstart {

// Has the layout of graft::callbacks::Rgb8.
struct Rgb {
  unsigned char r, g, b;
};

inline constexpr std::size_t kWidth = 3840;
inline constexpr std::size_t kHeight = 2160;

// Coloured rings over a gradient, with random grain.
std::vector<Rgb> generate_picture();

// `pixels` has kWidth x kHeight elements. Both throw std::runtime_error when the file cannot be written.
void write_colour(const std::filesystem::path& file, const std::vector<Rgb>& pixels);
void write_gray(const std::filesystem::path& file, const std::vector<unsigned char>& pixels);

}  // namespace quickstart
