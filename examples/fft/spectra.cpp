// A filter between an FFT and its inverse, and a linear convolution with the ready-made callbacks.
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void between(Stream stream, const graft::Options& options) {
  std::vector<Complex> values(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = i % 2 == 0 ? 3.0F : 1.0F;  // 2, and the highest frequency
  const auto in = array(stream, values);
  auto out = array(stream, values);
  // [between]
  const graft::Callback low_pass = R"(
      struct Band { unsigned int highest; };
      __device__ float2 low_pass(float2 z, graft::Index k, const Band& band) {
        const bool is_low = k <= band.highest || 64 - k <= band.highest;  // also the negative frequencies
        return is_low ? z : make_float2(0, 0);
      }
  )";
  const graft::Fft fft =
      graft::Fft::create({.length = 64, .scaling = graft::FftScaling::ByLength}, {.between = low_pass}, options);
  struct Band {
    unsigned int highest;
  };
  fft.execute(stream, in, out, graft::Direction::Forward, {.state = Band{10}});
  // [/between]
  expect_near(values_of(out), std::vector<Complex>(64, 2));
}
template void between(cudaStream_t, const graft::Options&);
template void between(graft::HostTag, const graft::Options&);

template <class Stream>
void convolution(Stream stream, const graft::Options& options) {
  const std::size_t batch = 2;
  const auto signals = array(stream, std::vector<float>(batch * 100, 1));
  const auto weights = array(stream, std::vector<float>{1, 2, 3});
  auto spectrum = array(stream, std::vector<Complex>(102));
  auto out = array(stream, std::vector<float>(batch * 102));
  // [convolution]
  struct Rows {
    unsigned int length, count;  // graft::callbacks::Rows
  };
  struct Filter {
    const std::complex<float>* weights;  // graft::callbacks::Filter
    unsigned int length;
  };
  // 100 samples and 3 weights give 102 results, and FFTs of at least 102 points. 104 = 8 * 13 is the next length.
  const graft::FftPlan plan = {.length = 104, .scaling = graft::FftScaling::ByLength};
  // [/convolution]
  auto signal_rows = array(stream, std::vector<Rows>{{104, 100}});
  auto weight_rows = array(stream, std::vector<Rows>{{104, 3}});
  auto result_rows = array(stream, std::vector<Rows>{{104, 102}});
  spectrum = array(stream, std::vector<Complex>(104));
  // [convolution]
  // Once: the spectrum of the weights.
  const graft::Fft of_weights =
      graft::Fft::create(plan, {.load = graft::Callback::ready_made("load_real_rows<float>")}, options);
  of_weights.execute(stream, weights, spectrum, graft::Direction::Forward,
                     {.batch = 1, .info = {.load = weight_rows.data()}});  // Rows{104, 3}, in device memory

  // For each batch of signals, in one kernel.
  const graft::Fft convolve =
      graft::Fft::create(plan,
                         {.load = graft::Callback::ready_made("load_real_rows<float>"),
                          .between = graft::Callback::ready_made("filter_spectrum<float, graft::complex<float>>"),
                          .store = graft::Callback::ready_made("store_real_rows<float>")},
                         options);
  convolve.execute(stream, signals, out, graft::Direction::Forward,
                   {.batch = batch,
                    .state = Filter{spectrum.data(), 104},
                    .info = {.load = signal_rows.data(), .store = result_rows.data()}});  // Rows{104, 100}, {104, 102}
  // [/convolution]
  std::vector<float> expected(batch * 102, 6);
  for (std::size_t b = 0; b < batch; ++b)
    expected[102 * b] = 1, expected[102 * b + 1] = 3, expected[102 * b + 100] = 5, expected[102 * b + 101] = 3;
  expect_near(values_of(out), expected);
}
template void convolution(cudaStream_t, const graft::Options&);
template void convolution(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
