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
template void real(cudaStream_t, const graft::Options&);
template void real(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
