// Declares one function for each example of docs/fft.md. Lines between `[name]` and `[/name]` comments are shown on
// that page word for word (tests/docs compares them). The other lines make the example run and check its result.
//
// The functions are templates, because the same lines run on a GPU and on the CPU: `stream` is a CUDA stream with
// arrays in device memory, or graft::host with arrays in host memory. `options` require the host route if there is no
// GPU.
#pragma once

#include <cmath>
#include <complex>
#include <graft/fft.hpp>
#include <graft/graft.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/cuda.hpp"

namespace fft_guide {

using Complex = std::complex<float>;
using examples::array;
using examples::values_of;

template <class Stream>
void first(Stream stream, const graft::Options& options);
template <class Stream>
void columns(Stream stream, const graft::Options& options);
template <class Stream>
void graft_shape(Stream stream, const graft::Options& options);
template <class Stream>
void states(Stream stream, const graft::Options& options);
template <class Stream>
void cufft_shape(Stream stream, const graft::Options& options);
template <class Stream>
void written_for_cufft(Stream stream, const graft::Options& options);
template <class Stream>
void between(Stream stream, const graft::Options& options);
template <class Stream>
void real(Stream stream, const graft::Options& options);
template <class Stream>
void in_place(Stream stream, const graft::Options& options);
template <class Stream>
void formulas(Stream stream, const graft::Options& options);
template <class Stream>
void directions(Stream stream, const graft::Options& options);
template <class Stream>
void halves(Stream stream, const graft::Options& options);
template <class Stream>
void cosines(Stream stream, const graft::Options& options);
template <class Stream>
void dimensions(Stream stream, const graft::Options& options);
template <class Stream>
void axes(Stream stream, const graft::Options& options);
template <class Stream>
void convolution(Stream stream, const graft::Options& options);
template <class Stream>
void workspace(Stream stream, const graft::Options& options);
template <class Stream>
void reports(Stream stream, const graft::Options& options);
void host();
void error();
void pack(bool has_gpu);
void images();

// Throws unless all elements of `found` are closer than `tolerance` to those of `expected`.
template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& expected, float tolerance = 1e-4F,
                 int line = __builtin_LINE()) {
  bool good = found.size() == expected.size();
  for (std::size_t i = 0; good && i < found.size(); ++i) good = std::abs(found[i] - expected[i]) <= tolerance;
  if (!good) throw std::runtime_error("line " + std::to_string(line) + ": the result is not what docs/fft.md says");
}

}  // namespace fft_guide
