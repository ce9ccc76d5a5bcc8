// A table of callbacks as files for cuFFT have them: with cuFFT's headers, an offset of type size_t, and a pointer to
// the callback in a variable of the device. Each row has a callback's text, and the results that it must give:
//
//     list.load("Conjugate", R"(
//       #include <cufftXt.h>
//       __device__ cufftComplex conjugate(void* data, size_t offset, void* info, void* shared) { ... }
//       __device__ cufftCallbackLoadC d_conjugate = conjugate;)",
//               complexes(), {}, [](std::size_t i) { return std::conj(complex_at(i)); });
//
// cufft_test builds each row on the routes for GPUs, and computes with it on the host; tests/gpu computes with it on a
// GPU.
#pragma once

#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "graft/graft.hpp"

namespace graft::test::cufft {

using Wide = std::complex<double>;
using Bytes = std::vector<std::byte>;

// All rows compute kBatch FFTs of kLength points.
inline constexpr std::size_t kLength = 16;
inline constexpr std::size_t kBatch = 3;
inline constexpr std::size_t kCount = kBatch * kLength;

struct Pattern {
  std::string name;
  std::string text;
  std::string entry;  // empty if the text has only one function
  bool is_load = true;
  bool runs_on_host = true;
  FftPrecision precision = FftPrecision::F32;
  int shared_bytes = 0;
  Bytes data;  // the input
  Bytes info;  // what caller_info points to
  Bytes out;   // the output before the FFT
  // Returns what is wrong with the output after the FFT, or an empty text.
  std::function<std::string(const Bytes& out)> error;

  FftPlan plan() const;
  FftCallbacks callbacks() const;
  Options options_for(Route route) const;
};

const std::vector<Pattern>& all_patterns();

// ---- for the rows ----

// The numbers of which inputs consist, from -1 to 1.
double number_at(std::size_t i);
Wide complex_at(std::size_t i);

// The FFTs of the points.
std::vector<Wide> spectra_of(const std::function<Wide(std::size_t)>& point);

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
// An array of `count` elements make(i).
template <class Make>
Bytes array_of(std::size_t count, Make make) {
  std::vector<decltype(make(std::size_t{}))> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(make(i));
  return bytes_of(values);
}
template <class Real>
Bytes complexes() {
  return array_of(kCount, [](std::size_t i) { return std::complex<Real>(complex_at(i)); });
}

// Compares numbers one by one. A NaN differs from every number.
std::string difference(const std::vector<double>& found, const std::vector<double>& expected, double tolerance);

class List {
 public:
  // Adds a load callback. `point` is the point that it must return for each offset.
  template <class Real = float>
  Pattern& load(const char* name, const char* text, Bytes data, Bytes info, std::function<Wide(std::size_t)> point) {
    Pattern pattern = begin<Real>(name, text, std::move(data), std::move(info));
    pattern.out = Bytes(kCount * 2 * sizeof(Real));
    pattern.error = [point = std::move(point)](const Bytes& out) {
      std::vector<double> expected;
      for (const Wide& z : spectra_of(point)) expected.insert(expected.end(), {z.real(), z.imag()});
      const std::vector<Real> found = values_of<Real>(out);
      return difference({found.begin(), found.end()}, expected, 1e-4);
    };
    return patterns_.emplace_back(std::move(pattern));
  }

  // Adds a store callback, whose output is an array of T with `before` in all elements. `store` does to an array of
  // doubles what the callback must do for the frequency z at the offset i.
  template <class T, class Real = float>
  Pattern& store(const char* name, const char* text, Bytes info, std::size_t count, T before, double tolerance,
                 std::function<void(std::vector<double>& out, std::size_t i, const Wide& z)> store) {
    Pattern pattern = begin<Real>(name, text, complexes<Real>(), std::move(info));
    pattern.is_load = false;
    pattern.out = bytes_of(std::vector<T>(count, before));
    pattern.error = [=, store = std::move(store)](const Bytes& out) {
      std::vector<double> expected(count, static_cast<double>(before));
      const std::vector<Wide> spectra = spectra_of(complex_at);
      for (std::size_t i = 0; i < kCount; ++i) store(expected, i, spectra[i]);
      const std::vector<T> found = values_of<T>(out);
      return difference({found.begin(), found.end()}, expected, tolerance);
    };
    return patterns_.emplace_back(std::move(pattern));
  }

  std::vector<Pattern> take() { return std::move(patterns_); }

 private:
  template <class Real>
  static Pattern begin(const char* name, const char* text, Bytes data, Bytes info) {
    Pattern pattern;
    pattern.name = name;
    pattern.text = text;
    pattern.precision = sizeof(Real) == 4 ? FftPrecision::F32 : FftPrecision::F64;
    pattern.data = std::move(data);
    pattern.info = std::move(info);
    return pattern;
  }

  std::vector<Pattern> patterns_;
};

// The rows of loads.cpp and stores.cpp.
void add_loads(List& list);
void add_stores(List& list);

}  // namespace graft::test::cufft
