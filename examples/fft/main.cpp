// Runs the examples of docs/fft.md, each with a check of its result, on the GPU or, without one, on the CPU. Exits with
// 1 if an example fails.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "chapter.hpp"

namespace {

template <class Stream>
void run_all(Stream stream, const graft::Options& options) {
  fft_guide::first(stream, options);
  fft_guide::columns(stream, options);
  fft_guide::graft_shape(stream, options);
  fft_guide::states(stream, options);
  fft_guide::cufft_shape(stream, options);
  fft_guide::written_for_cufft(stream, options);
  fft_guide::between(stream, options);
  fft_guide::real(stream, options);
  fft_guide::in_place(stream, options);
  fft_guide::formulas(stream, options);
  fft_guide::directions(stream, options);
  fft_guide::halves(stream, options);
  fft_guide::cosines(stream, options);
  fft_guide::dimensions(stream, options);
  fft_guide::axes(stream, options);
  fft_guide::convolution(stream, options);
  fft_guide::workspace(stream, options);
  fft_guide::reports(stream, options);
}

}  // namespace

int main() try {
  const bool has_gpu = examples::use_gpu();
  fmt::print("Running on {}\n", has_gpu ? examples::gpu_name() : "the CPU");
  if (has_gpu) {
    const examples::Stream stream = examples::make_stream();
    run_all(stream.get(), {});
  } else {
    run_all(graft::host, graft::Options::cpu());
  }
  fft_guide::pack(has_gpu);
  fft_guide::images();
  fft_guide::host();
  fft_guide::error();
  fmt::print("ok\n");
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
