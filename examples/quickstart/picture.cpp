// Computes the picture's colours and writes the two file formats.
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "random.hpp"

namespace quickstart {
namespace {

unsigned char byte_of(double intensity) {
  return static_cast<unsigned char>(std::lround(255 * std::clamp(intensity, 0.0, 1.0)));
}

// Returns the colour at a position. x and y go from 0 to 1.
Rgb colour_at(double x, double y, double grain) {
  const double radius = std::hypot((x - 0.5) * kWidth / kHeight, y - 0.5);
  const double ring = 0.25 * std::cos(60 * radius);
  return {byte_of(x + ring + grain), byte_of(y - ring + grain), byte_of(1 - x * y + ring + grain)};
}

void write(const std::filesystem::path& file, const char* magic, const void* bytes, std::size_t size) {
  std::ofstream stream(file, std::ios::binary);
  stream << fmt::format("{}\n{} {}\n255\n", magic, kWidth, kHeight);
  stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size)).flush();
  if (!stream) throw std::runtime_error("cannot write " + file.string());
  fmt::print("  picture        {}\n", file.string());
}

}  // namespace

std::vector<Rgb> generate_picture() {
  const std::vector<float> grain = random_floats(kWidth * kHeight, -0.05f, 0.05f);
  std::vector<Rgb> pixels(grain.size());
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = colour_at(static_cast<double>(i % kWidth) / kWidth, static_cast<double>(i / kWidth) / kHeight,
                          static_cast<double>(grain[i]));
  return pixels;
}

void write_colour(const std::filesystem::path& file, const std::vector<Rgb>& pixels) {
  write(file, "P6", pixels.data(), pixels.size() * sizeof(Rgb));
}

void write_gray(const std::filesystem::path& file, const std::vector<unsigned char>& pixels) {
  write(file, "P5", pixels.data(), pixels.size());
}

}  // namespace quickstart
