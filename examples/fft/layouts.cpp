// An FFT of each column of a matrix.
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void columns(Stream stream, const graft::Options& options) {
  std::vector<Complex> values(100 * 64), expected(100 * 64);
  for (std::size_t column = 0; column < 64; ++column) {  // each column is constant: its FFT has the frequency 0 only
    for (std::size_t row = 0; row < 100; ++row) values[64 * row + column] = static_cast<float>(column);
    expected[column] = 100 * static_cast<float>(column);
  }
  auto matrix = array(stream, values);
  // [columns]
  // The columns of a matrix that has 100 rows of 64 elements, in place.
  const graft::Fft fft = graft::Fft::create({.length = 100, .has_strides = true}, {}, options);
  const graft::FftLayout columns = {.stride = 64, .distance = 1};
  fft.execute(stream, matrix, matrix, graft::Direction::Forward, {.batch = 64, .in = columns, .out = columns});
  // [/columns]
  expect_near(values_of(matrix), expected, 1e-2F);
}
template void columns(cudaStream_t, const graft::Options&);
template void columns(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
