// The frames of an STFT overlap in memory: frame b begins at sample b * kHop. For graft::Fft this is an input layout
// whose distance is kHop.
#include "spectrogram.hpp"

#include <graft/fft.hpp>
#include <graft/graft.hpp>

#include "support/cuda.hpp"

namespace stft {
namespace {

// [state]
// The states of the load and the store callback, in this order, with the layouts that callbacks/*.cuh give them.
struct State {
  struct {
    unsigned length, periodic;
  } window;
  struct {
    float scale, floor;
  } decibels;
};
// [/state]

graft::Fft make_fft(const graft::Options& options) {
  // [create]
  const graft::FftCallbacks callbacks = {.load = graft::chain(graft::Callback::ready_made("int16_to_real<float>"),
                                                              graft::Callback::ready_made("hann<float>"),
                                                              graft::Callback::ready_made("real_to_complex<float>")),
                                         .store = graft::Callback::ready_made("power_in_decibels<float>")};
  return graft::Fft::create({.length = kLength, .directions = graft::FftDirections::Forward}, callbacks, options);
  // [/create]
}

// A sine of amplitude 1 in a Hann window has the largest value kLength / 4 in its spectrum.
constexpr State kState = {{kLength, 1}, {16.0F / (kLength * kLength), kFloor}};

}  // namespace

Spectrogram spectrogram_of(const std::vector<short>& signal, bool has_gpu) {
  const graft::Fft fft = make_fft(has_gpu ? graft::Options() : graft::Options::cpu());

  Spectrogram result;
  result.frames = 1 + (signal.size() - kLength) / kHop;
  result.decibels.resize(result.frames * kLength);
  const graft::FftLaunch launch = {.batch = result.frames, .in = {.distance = kHop}, .state = kState};
  if (!has_gpu) {
    fft.execute(graft::host, signal, result.decibels, graft::Direction::Forward, launch);
    return result;
  }
  const examples::DeviceBuffer<short> samples(signal);
  const examples::DeviceBuffer<float> decibels(result.decibels.size());
  // [execute]
  fft.execute(nullptr, samples, decibels, graft::Direction::Forward,
              {.batch = result.frames, .in = {.distance = kHop}, .state = kState});
  // [/execute]
  result.decibels = on_host(decibels);
  return result;
}

}  // namespace stft
