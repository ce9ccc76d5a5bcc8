// A cosine transform by a real FFT.
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void cosines(Stream stream, const graft::Options& options) {
  constexpr std::size_t kLength = 100;
  std::vector<float> values(3 * kLength, 1.0F);
  const auto numbers = array(stream, values);
  auto coefficients = array(stream, std::vector<float>(values.size()));
  // [dct]
  struct Dct {
    unsigned int length;  // graft::callbacks::Dct
  };
  auto dct = array(stream, std::vector<Dct>{{100}});  // in device memory
  const graft::Fft fft =
      graft::Fft::create({.length = 100, .directions = graft::FftDirections::Forward, .kind = graft::FftKind::Real},
                         {.load = graft::Callback::ready_made("load_dct2<float>"),
                          .store = graft::Callback::ready_made("store_dct2<float>")},
                         options);
  fft.execute(stream, numbers, coefficients, graft::Direction::Forward,
              {.batch = 3, .info = {.load = dct.data(), .store = dct.data()}});
  // [/dct]
  std::vector<float> expected(values.size());
  for (std::size_t b = 0; b < 3; ++b) expected[b * kLength] = 2.0F * kLength;
  expect_near(values_of(coefficients), expected, 1e-3F);
}
template void cosines(cudaStream_t, const graft::Options&);
template void cosines(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
