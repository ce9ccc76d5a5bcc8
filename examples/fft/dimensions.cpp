// Images and volumes: FFTs of several dimensions.
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void dimensions(Stream stream, const graft::Options& options) {
  constexpr std::size_t kRows = 48, kColumns = 64;
  std::vector<Complex> values(3 * kRows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  const auto images = array(stream, values);
  auto smooth = array(stream, std::vector<Complex>(values.size()));
  // [dimensions]
  // Three images of 48 rows and 64 columns. Frequencies far from zero in one of the dimensions are left out.
  const graft::Callback low_pass = R"(
      __device__ float2 low_pass(float2 z, graft::Index k) {
        const unsigned int row = k / 64, column = k % 64;
        const bool is_low = (row < 5 || row > 43) && (column < 5 || column > 59);
        return is_low ? z : make_float2(0, 0);
      }
  )";
  const graft::Fft fft =
      graft::Fft::create({.scaling = graft::FftScaling::ByLength, .shape = {48, 64}}, {.between = low_pass}, options);
  fft.execute(stream, images, smooth);
  // [/dimensions]
  // The mean of an image is its frequency 0, which stays; the pattern of 7 is gone.
  const std::vector<Complex> found = values_of(smooth);
  for (std::size_t b = 0; b < 3; ++b) {
    const auto sum = [&](const std::vector<Complex>& of) {
      Complex total = 0;
      for (std::size_t i = 0; i < kRows * kColumns; ++i) total += of[b * kRows * kColumns + i];
      return total / static_cast<float>(kRows * kColumns);
    };
    expect_near<Complex>({sum(found)}, {sum(values)}, 1e-3F);
    expect_near<Complex>({found[b * kRows * kColumns]}, {sum(values)}, 0.2F);
  }
}
// Along the columns of images, and of a part of each.
template <class Stream>
void axes(Stream stream, const graft::Options& options) {
  std::vector<Complex> values(3 * 48 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i / 64 % 48 == 0 ? 1.0F : 0.0F;  // the first row is 1
  auto in = array(stream, values), out = array(stream, std::vector<Complex>(values.size()));
  // [axes]
  // The columns of three images of 48 rows and 64 columns; and those of the left upper quarter of each.
  const graft::Fft columns = graft::Fft::create({.length = 48, .has_strides = true}, {}, options);
  columns.execute(stream, graft::view(in.data(), {3, 48, 64}), graft::view(out.data(), {3, 48, 64}),
                  graft::Direction::Forward, {.axes = {1}});
  const graft::Fft half_columns = graft::Fft::create({.length = 24, .has_strides = true}, {}, options);
  half_columns.execute(stream, graft::view(in.data(), {3, 24, 32}, {48 * 64, 64, 1}),
                       graft::view(out.data(), {3, 24, 32}, {48 * 64, 64, 1}), graft::Direction::Forward,
                       {.axes = {1}});
  // [/axes]
  expect_near(values_of(out), std::vector<Complex>(values.size(), 1.0F));
}
template void axes(cudaStream_t, const graft::Options&);
template void axes(graft::HostTag, const graft::Options&);
template void dimensions(cudaStream_t, const graft::Options&);
template void dimensions(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
