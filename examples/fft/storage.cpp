// Arrays of halves, and callbacks for one direction alone.
#include "chapter.hpp"

namespace fft_guide {

namespace {

// A complex number of two halves, by their bits. Programs with <cuda_fp16.h> have __half2.
struct alignas(4) Half2 {
  unsigned short re, im;
  bool operator==(const Half2&) const = default;
};
constexpr unsigned short kOne = 0x3c00;  // 1 as a half

}  // namespace

template <class Stream>
void halves(Stream stream, const graft::Options& options) {
  std::vector<Half2> values(4 * 1000);
  for (std::size_t i = 0; i < values.size(); i += 1000) values[i] = {kOne, 0};
  const auto in = array(stream, values);
  auto out = array(stream, std::vector<Half2>(values.size()));
  // [halves]
  const graft::Fft fft = graft::Fft::create(
      {.length = 1000, .storage_in = graft::FftStorage::F16, .storage_out = graft::FftStorage::F16}, {}, options);
  fft.execute(stream, in, out);  // arrays of __half2
  // [/halves]
  for (const Half2 value : values_of(out))
    if (value != Half2{kOne, 0}) throw std::runtime_error("FFTs of halves are wrong");
}
template void halves(cudaStream_t, const graft::Options&);
template void halves(graft::HostTag, const graft::Options&);

template <class Stream>
void directions(Stream stream, const graft::Options& options) {
  std::vector<short> values(2 * 1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<short>(i * 37 % 1000);
  const auto samples = array(stream, values);
  auto spectra = array(stream, std::vector<Complex>(2 * 501));
  auto back = array(stream, std::vector<short>(values.size()));
  // [directions]
  // Samples of 16 bits become spectra, and spectra become samples.
  const graft::Callback load = "__device__ float from_sample(short x) { return x; }";
  const graft::Callback store = "__device__ short to_sample(float x) { return rintf(x); }";
  const graft::Fft fft =
      graft::Fft::create({.length = 1000, .scaling = graft::FftScaling::ByLength, .kind = graft::FftKind::Real},
                         {.load = load, .inverse = graft::FftSideCallbacks{.store = store}}, options);
  fft.execute(stream, samples, spectra);
  fft.execute(stream, spectra, back, graft::Direction::Inverse);
  // [/directions]
  if (values_of(back) != values) throw std::runtime_error("the samples have changed");
}
template void directions(cudaStream_t, const graft::Options&);
template void directions(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
