// FFTs of real numbers.
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void real(Stream stream, const graft::Options& options) {
  std::vector<short> samples(2 * 1000);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i % 2 == 0 ? 100 : -100;  // the highest frequency
  const auto in = array(stream, samples);
  auto power = array(stream, std::vector<float>(2 * 501));
  // [real]
  // Two rows of 1000 samples of 16 bits, and the power of each of their 501 frequencies.
  const graft::Callback load = "__device__ float sample(short x) { return x; }";
  const graft::Callback store = "__device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }";
  const graft::Fft fft =
      graft::Fft::create({.length = 1000, .directions = graft::FftDirections::Forward, .kind = graft::FftKind::Real},
                         {.load = load, .store = store}, options);
  fft.execute(stream, in, power);
  // [/real]
  std::vector<float> expected(2 * 501);
  expected[500] = expected[1001] = 1e5F * 1e5F;
  expect_near(values_of(power), expected, 1e5F);
}
// Numbers and their frequencies in the same memory.
template <class Stream>
void in_place(Stream stream, const graft::Options& options) {
  std::vector<float> values(4 * 8, -1);  // the last two of each row are room
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % 8 < 6) values[i] = static_cast<float>(i * i % 11);
  auto image = array(stream, values);
  // [in_place]
  // An image of 4 rows and 6 columns. Rows of the array have room for 8 numbers, or 4 frequencies.
  const graft::Fft fft = graft::Fft::create(
      {.scaling = graft::FftScaling::ByLength, .has_strides = true, .shape = {4, 6}, .kind = graft::FftKind::Real}, {},
      options);
  const std::vector<std::int64_t> padded = graft::padded_reals({4, 6});  // {4, 8}
  float* const memory = image.data();                                    // 4 * 8 numbers
  const auto numbers = graft::view(memory, {4, 6}, {padded[1], 1});
  const auto frequencies = graft::view(reinterpret_cast<std::complex<float>*>(memory), {4, padded[1] / 2});
  fft.execute(stream, numbers, frequencies);
  fft.execute(stream, frequencies, numbers, graft::Direction::Inverse);
  // [/in_place]
  const std::vector<float> found = values_of(image);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % 8 < 6) expect_near<float>({found[i]}, {values[i]}, 1e-4F);
}
template void in_place(cudaStream_t, const graft::Options&);
template void in_place(graft::HostTag, const graft::Options&);
template void real(cudaStream_t, const graft::Options&);
template void real(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
