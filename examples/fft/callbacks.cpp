// Load and store callbacks of both shapes, and their states.
#include "chapter.hpp"

namespace fft_guide {

template <class Stream>
void graft_shape(Stream stream, const graft::Options& options) {
  const auto samples = array(stream, std::vector<short>(2000, 32767));
  auto powers = array(stream, std::vector<float>(2000));
  // [graft_shape]
  const graft::Callback load = R"(
      __device__ float2 from_sample(short x) { return make_float2(x / 32768.0f, 0); }
  )";
  const graft::Callback store = R"(
      __device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }
  )";
  const graft::Fft fft = graft::Fft::create({.length = 1000}, {.load = load, .store = store}, options);
  fft.execute(stream, samples, powers);  // samples: array of short, powers: array of float
  // [/graft_shape]
  std::vector<float> expected(2000);
  expected[0] = expected[1000] = 1e6F;
  expect_near(values_of(powers), expected, 100);
}
template void graft_shape(cudaStream_t, const graft::Options&);
template void graft_shape(graft::HostTag, const graft::Options&);

template <class Stream>
void states(Stream stream, const graft::Options& options) {
  const auto in = array(stream, std::vector<Complex>(16, 1));
  auto out = array(stream, std::vector<Complex>(16));
  // [states]
  const graft::Callback load = R"(
      struct Shift { float turns; };  // shifts the spectrum by `turns` frequencies
      __device__ float2 modulate(float2 z, graft::Index i, const Shift& s) {
        float sine, cosine;
        sincospif(2 * s.turns * (i % 16) / 16, &sine, &cosine);
        return make_float2(z.x * cosine - z.y * sine, z.x * sine + z.y * cosine);
      }
  )";
  const graft::Callback store = R"(
      struct Gain { float gain; };
      __device__ float2 amplify(float2 z, const Gain& s) { return make_float2(s.gain * z.x, s.gain * z.y); }
  )";
  const graft::Fft fft = graft::Fft::create({.length = 16}, {.load = load, .store = store}, options);
  struct {
    struct {
      float turns;
    } load;
    struct {
      float gain;
    } store;
  } state = {{3}, {0.5F}};
  fft.execute(stream, in, out, graft::Direction::Forward, {.state = state});
  // [/states]
  std::vector<Complex> expected(16);
  expected[3] = 8;
  expect_near(values_of(out), expected);
}
template void states(cudaStream_t, const graft::Options&);
template void states(graft::HostTag, const graft::Options&);

template <class Stream>
void formulas(Stream stream, const graft::Options& options) {
  const auto samples = array(stream, std::vector<short>{1, 2, 3, 4});
  auto out = array(stream, std::vector<float>(4));
  // [formulas]
  const graft::FftCallbacks callbacks = {.load = graft::formula("i16 x => complex(x, 0)"),
                                         .between = graft::formula("c64 z; f32 gain => gain * z"),
                                         .store = graft::formula("c64 z => real(z)")};
  const graft::Fft fft = graft::Fft::create({.length = 4, .scaling = graft::FftScaling::ByLength}, callbacks, options);
  fft.execute(stream, samples, out, graft::Direction::Forward, {.state = 0.5F});  // half of each sample
  // [/formulas]
  expect_near<float>(values_of(out), {0.5F, 1, 1.5F, 2});
}
template void formulas(cudaStream_t, const graft::Options&);
template void formulas(graft::HostTag, const graft::Options&);

template <class Stream>
void cufft_shape(Stream stream, const graft::Options& options) {
  const auto in = array(stream, std::vector<Complex>{0, 1, 2, 3});
  auto places = array(stream, std::vector<int>{3, 2, 1, 0});
  auto out = array(stream, std::vector<Complex>(4));
  // [cufft_shape]
  const graft::Callback load = R"(
      __device__ float2 gather(void* data, unsigned long long offset, void* caller_info, void* shared) {
        const int* places = static_cast<const int*>(caller_info);
        return static_cast<const float2*>(data)[places[offset]];
      }
  )";
  const graft::Fft fft = graft::Fft::create({.length = 4}, {.load = load}, options);
  fft.execute(stream, in, out, graft::Direction::Forward, {.batch = 1, .info = {.load = places.data()}});
  // [/cufft_shape]
  expect_near(values_of(out), {6, {2, -2}, 2, {2, 2}});
}
template void cufft_shape(cudaStream_t, const graft::Options&);
template void cufft_shape(graft::HostTag, const graft::Options&);

template <class Stream>
void written_for_cufft(Stream stream, const graft::Options& options) {
  const auto in = array(stream, std::vector<Complex>{2, 4, 6, 8});
  auto out = array(stream, std::vector<Complex>(4));
  // [written_for_cufft]
  const graft::Callback load = R"(
      #include <cufft.h>
      #include <cufftXt.h>
      __device__ cufftComplex halve(void* data, size_t offset, void* caller_info, void* shared) {
        const cufftComplex z = static_cast<cufftComplex*>(data)[offset];
        return make_float2(z.x / 2, z.y / 2);
      }
      __device__ cufftCallbackLoadC d_halve = halve;
  )";
  const graft::Fft fft = graft::Fft::create({.length = 4}, {.load = load}, options);
  fft.execute(stream, in, out, graft::Direction::Forward, {.batch = 1});  // {10, -2 + 2i, -2, -2 - 2i}
  // [/written_for_cufft]
  expect_near(values_of(out), {10, {-2, 2}, -2, {-2, -2}});
}
template void written_for_cufft(cudaStream_t, const graft::Options&);
template void written_for_cufft(graft::HostTag, const graft::Options&);

}  // namespace fft_guide
