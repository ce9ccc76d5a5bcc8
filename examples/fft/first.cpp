// A first FFT, the host route, and an error.
// [first]
#include <graft/fft.hpp>

// [/first]
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void first(Stream stream, const graft::Options& options) {
  std::vector<Complex> values(3 * 4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {static_cast<float>(i % 7), static_cast<float>(i % 5)};
  const auto in = array(stream, values);
  auto spectra = array(stream, values), out = array(stream, values);
  // [first]
  const graft::Fft fft = graft::Fft::create({.length = 4096, .scaling = graft::FftScaling::ByLength}, {}, options);
  fft.execute(stream, in, spectra);                              // forward: one FFT for every 4096 elements of `in`
  fft.execute(stream, spectra, out, graft::Direction::Inverse);  // `out` is `in`, except for rounding
  // [/first]
  expect_near(values_of(out), values);
}
template void first(cudaStream_t, const graft::Options&);
template void first(graft::HostTag, const graft::Options&);

void host() {
  // [host]
  const graft::Fft fft = graft::Fft::create({.length = 4}, {}, graft::Options::cpu());
  const std::vector<std::complex<float>> in = {1, 2, 3, 4};
  std::vector<std::complex<float>> out(4);
  fft.execute(graft::host, in, out);  // out is {10, -2 + 2i, -2, -2 - 2i}
  // [/host]
  expect_near(out, {10, {-2, 2}, -2, {-2, -2}});
}

void error() {
  std::string what;
  // [error]
  try {
    graft::Fft::create({.length = -4096});
  } catch (const graft::Error& error) {
    what = error.message();  // an FFT of -4096 points is not possible: an FFT has at least one point
  }
  // [/error]
  if (what != "an FFT of -4096 points is not possible: an FFT has at least one point") throw std::runtime_error(what);
}

}  // namespace fft_guide
