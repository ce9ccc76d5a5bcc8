// The short callbacks that README.md shows: a formula, a lambda, a struct, an FFT. They run on the GPU or, if there is
// no GPU, on the CPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <graft/graft.hpp>
#include <stdexcept>

#include "support/arrays.hpp"
#include "support/cuda.hpp"

namespace {

using examples::array, examples::values_of;

void expect(bool is_good, const char* what) {
  if (!is_good) throw std::runtime_error(what);
}

template <class Stream>
void formula(Stream stream, const graft::Options& options) {
  const auto x = array(stream, std::vector<float>{-1, 2});
  auto y = array(stream, std::vector<float>(2));
  // [formula]
  const graft::Callback callback = graft::formula("a * max(x, 0) + b", "f32 x; f32 a, b");
  const graft::Transform transform = graft::Transform::create(callback, options);
  graft::Parameters values("f32 a, b");
  values.set("a", 2);
  values.set("b", 0.5);
  transform.execute(stream, x, y, values.state());
  // [/formula]
  expect(values_of(y) == std::vector<float>{0.5F, 4.5F}, "formula");
}

template <class Stream>
void lambda(Stream stream, const graft::Options& options) {
  const auto x = array(stream, std::vector<float>{1, 2}), y = array(stream, std::vector<float>{3, 5});
  auto z = array(stream, std::vector<float>(2));
  // [lambda]
  const char* callback = "[](float x, float y) { return x < y ? x * y : 0; }";
  const graft::Transform transform = graft::Transform::create(callback, options);
  transform.execute(stream, graft::inputs(x, y), z);
  // [/lambda]
  expect(values_of(z) == std::vector<float>{3, 10}, "lambda");
}

// [struct]
GRAFT_DEFINE_STRUCT(Line, float slope, offset;);  // for the program, and as a text for the callback

// [/struct]
template <class Stream>
void structure(Stream stream, const graft::Options& options) {
  const auto x = array(stream, std::vector<float>{1, 2});
  auto y = array(stream, std::vector<float>(2));
  // [struct]
  const graft::Callback callback = graft::declaration<Line>() + R"(
      __device__ float line(float x, const Line& l) { return l.slope * x + l.offset; })";
  const graft::Transform transform = graft::Transform::create(callback, options);
  transform.execute(stream, x, y, Line{2, 1});
  transform.execute(stream, y, y, Line{0.5F, 0});  // in place; nothing is compiled again
  // [/struct]
  expect(values_of(y) == std::vector<float>{1.5F, 2.5F}, "struct");
}

template <class Stream>
void fft(Stream stream, const graft::Options& options) {
  const auto samples = array(stream, std::vector<short>(1000, 1 << 14));
  auto powers = array(stream, std::vector<float>(1000));
  // [fft]
  const graft::Callback load = graft::Callback::ready_made("int16_to_complex<float>");
  const graft::Callback store = "[](float2 z) { return z.x * z.x + z.y * z.y; }";
  const graft::Fft transform = graft::Fft::create({.length = 1000}, {.load = load, .store = store}, options);
  transform.execute(stream, samples, powers);  // samples: array of short, powers: array of float
  // [/fft]
  const std::vector<float> found = values_of(powers);
  expect(std::fabs(found[0] - 250'000) < 1, "fft");
  expect(std::all_of(found.begin() + 1, found.end(), [](float power) { return power < 1; }), "fft");
}

template <class Stream>
void run_all(Stream stream, const graft::Options& options) {
  formula(stream, options);
  lambda(stream, options);
  structure(stream, options);
  fft(stream, options);
}

}  // namespace

int main() try {
  const bool has_gpu = examples::use_gpu();
  if (has_gpu) run_all(examples::make_stream().get(), {});
  else run_all(graft::host, graft::Options::cpu());
  std::printf("a formula, a lambda, a struct and an FFT ran on the %s\n", has_gpu ? "GPU" : "CPU");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
