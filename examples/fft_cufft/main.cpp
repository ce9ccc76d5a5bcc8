// For users of cuFFT: the same data and the same callbacks, in the same bytes of LTO-IR, through cuFFT's plans with LTO
// callbacks and through graft::Fft. The program compares the results, and measures what making a plan and what running
// it takes.
//
// The load callback turns pairs of bytes, as radio receivers deliver them, into windowed complex numbers. The store
// callback writes powers. Both compute in floats, so that the results differ by rounding only. Without a GPU, the
// program compiles the callbacks and returns 77. It returns 1 if results differ or anything else fails.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <graft/fft.hpp>
#include <graft/graft.hpp>
#include <numbers>
#include <random>

#include "plan.hpp"
#include "support/cuda.hpp"

namespace {

using examples::DeviceBuffer;
using fft_cufft::Plan;

// [callbacks]
// `caller_info` points to the FFT's length and to the window's weights behind it.
constexpr const char* kLoadIq = R"(
__device__ float2 load_iq(void* data, unsigned long long offset, void* caller_info, void* shared) {
  const char2 sample = static_cast<const char2*>(data)[offset];
  const float* window = static_cast<const float*>(caller_info);
  const unsigned int length = static_cast<unsigned int>(window[0]);
  const float weight = window[1 + static_cast<unsigned int>(offset) % length] / 128;
  return {weight * sample.x, weight * sample.y};
}
)";
constexpr const char* kStorePower = R"(
__device__ void store_power(void* data, unsigned long long offset, float2 z, void* caller_info, void* shared) {
  static_cast<float*>(data)[offset] = z.x * z.x + z.y * z.y;
}
)";
// [/callbacks]

struct Sample {
  signed char in_phase, quadrature;  // the layout of char2
};

constexpr std::size_t kPoints = std::size_t(1) << 24;  // in a batch

std::vector<Sample> noise() {
  std::mt19937 random(1);
  std::vector<Sample> samples(kPoints);
  for (Sample& sample : samples) {
    const auto bits = random();
    sample = {static_cast<signed char>(bits), static_cast<signed char>(bits >> 8)};
  }
  return samples;
}

// The length, and the weights of a Hann window.
std::vector<float> window_of(int length) {
  std::vector<float> window = {static_cast<float>(length)};
  for (int p = 0; p < length; ++p)
    window.push_back(static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * p / length)));
  return window;
}

struct Compiled {
  std::vector<std::byte> load, store;
};

Compiled compile_for(graft::Architecture architecture) {
  // [precompile]
  const auto compiled = [&](const char* text) {
    return graft::Callback(text).precompile({architecture}, graft::PrecompileFormat::LtoIr);
  };
  const std::vector<std::byte> load = compiled(kLoadIq), store = compiled(kStorePower);
  // [/precompile]
  fmt::print("load_iq and store_power as LTO-IR for {}: {} and {} bytes\n", architecture.sm(), load.size(),
             store.size());
  return {load, store};
}

graft::Fft graft_fft(int length, const Compiled& code) {
  const auto &load = code.load, &store = code.store;
  // [graft]
  const graft::FftCallbacks callbacks = {
      .load = graft::Callback::ltoir(load).with_signature("float2 load_iq(void*, unsigned long long, void*, void*)"),
      .store = graft::Callback::ltoir(store).with_signature(
          "void store_power(void*, unsigned long long, float2, void*, void*)")};
  return graft::Fft::create({.length = length, .directions = graft::FftDirections::Forward}, callbacks);
  // [/graft]
}

// Returns the result of `make` and prints nothing; adds the time that it took, in milliseconds.
template <class Make>
auto timed(double& milliseconds, const Make& make) {
  const auto start = std::chrono::steady_clock::now();
  auto made = make();
  milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return made;
}

// |a - b| / |b|.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, whole = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += d * d;
    whole += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return std::sqrt(difference / whole);
}

bool compare(int length, const DeviceBuffer<Sample>& samples, const Compiled& code) {
  const DeviceBuffer<float> window(window_of(length));
  DeviceBuffer<float> by_cufft(kPoints), by_graft(kPoints);
  const std::size_t batch = kPoints / static_cast<std::size_t>(length);

  double plan_cufft = 0, plan_graft = 0;
  const auto plan = timed(plan_cufft, [&] {
    return std::make_unique<Plan>(length, static_cast<int>(batch),
                                  fft_cufft::LinkedCallback{code.load, "load_iq", window.data()},
                                  fft_cufft::LinkedCallback{code.store, "store_power", nullptr});
  });
  const graft::Fft fft = timed(plan_graft, [&] { return graft_fft(length, code); });
  const double run_cufft = examples::median_milliseconds(
      [&](cudaStream_t stream) { plan->forward(stream, samples.data(), by_cufft.data()); });
  const double run_graft = examples::median_milliseconds([&](cudaStream_t stream) {
    fft.execute(stream, samples, by_graft, graft::Direction::Forward,
                {.batch = batch, .info = {.load = window.data()}});
  });

  // Each of the two spectra has a relative error of a few roundings for each of the log2(length) steps, and its square
  // has twice that.
  const double tolerance = 4 * std::log2(length) / (1 << 24);
  const double error = distance(on_host(by_graft), on_host(by_cufft));
  fmt::print("{:>6}  {:>8.0f} {:>8.0f}  {:>8.3f} {:>8.3f}  {:>9.1e}  {}\n", length, plan_cufft, plan_graft, run_cufft,
             run_graft, error, error <= tolerance ? "ok" : "DIFFERENT");
  return error <= tolerance;
}

constexpr int kNoGpu = 77;

}  // namespace

int main() try {
  const bool has_gpu = examples::use_gpu();
  const Compiled code = compile_for(has_gpu ? examples::gpu_architecture() : graft::Architecture(90));
  if (!has_gpu) {
    fmt::print("No GPU is available, and neither cuFFT nor graft::Fft has a plan for a GPU without one.\n");
    return kNoGpu;
  }
  fmt::print("{} points on {}; milliseconds\n", kPoints, examples::gpu_name());
  fmt::print("length  plan, cuFFT, graft   run, cuFFT, graft   difference\n");
  const DeviceBuffer<Sample> samples(noise());
  bool good = true;
  for (const int length : {64, 256, 1024, 4096, 8192}) good = compare(length, samples, code) && good;
  return good ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
