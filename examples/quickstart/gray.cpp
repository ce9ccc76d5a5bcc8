// Converts a 4K picture from colour to gray by BT.601, with the callback of callbacks/image.cuh. An element (a pixel)
// has three bytes, but graft loads and stores 16-byte words. The picture fits into the L2 cache of many GPUs, so the
// throughput may exceed the bandwidth of the GPU's memory.
//
// The tolerance is 0.503 gray levels from the exact luma 0.299 R + 0.587 G + 0.114 B. Rounding to a byte contributes up
// to 0.5 to the error, and rounding the weights to multiples of 1/65536 up to 0.003, as image.cuh states.
#include <fmt/format.h>

#include <graft/graft.hpp>
#include <vector>

#include "errors.hpp"
#include "exhibits.hpp"
#include "picture.hpp"

namespace quickstart {
namespace {

using Channels = Eigen::Array<unsigned char, 3, Eigen::Dynamic>;

double largest_error(const std::vector<Rgb>& colour, const std::vector<unsigned char>& gray) {
  const Eigen::RowVector3d weights(0.299, 0.587, 0.114);
  return largest(gray.size(), [&](Eigen::Index begin, Eigen::Index count) -> Eigen::ArrayXd {
    const Eigen::Map<const Channels> channels(&colour[static_cast<std::size_t>(begin)].r, 3, count);
    const Eigen::ArrayXd luma = (weights * channels.cast<double>().matrix()).transpose().array();
    return (part(gray, begin, count) - luma).abs();
  });
}

}  // namespace

bool gray(const Place& place, const std::filesystem::path& folder) {
  fmt::print("\nColour to gray: callbacks/image.cuh, {} x {} pixels\n", kWidth, kHeight);
  const graft::Transform transform = make(place, graft::Callback::ready_made("gray_bt601"));
  const std::vector<Rgb> colour = generate_picture();
  std::vector<unsigned char> levels(colour.size());
  run(place, transform, std::tie(colour), std::tie(levels));
  const bool good = within(largest_error(colour, levels), 0.503, "gray levels");
  write_colour(folder / "colour.ppm", colour);
  write_gray(folder / "gray.pgm", levels);
  return good;
}

}  // namespace quickstart
