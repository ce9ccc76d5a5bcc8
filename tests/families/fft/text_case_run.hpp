// Runs the kernels of a TextCase, on whatever machine, and compares with FFTs in long double.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "families/fft/reference.hpp"
#include "families/fft/roots.hpp"
#include "families/fft/text_cases.hpp"

namespace graft::test {

using families::fft::ParameterHead;

// Bytes that are laid out as the members of a struct.
class StructBytes {
 public:
  template <class T>
  void add(const T& value) {
    const std::size_t at = (bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void* data() { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
};

// Runs a TextCase and checks its results. The arrays are of `Allocator`, so that they can be in memory that a GPU
// accesses too.
template <class Real, template <class> class Allocator = std::allocator>
class TextCaseRun {
 public:
  using Complex = graft_fft::Complex<Real>;
  template <class T>
  using Array = std::vector<T, Allocator<T>>;

  explicit TextCaseRun(const TextCase& of_case)
      : case_(of_case),
        request_(of_case.request),
        plan_(request_.plan),
        length_(plan_.convolved > 0 ? plan_.convolved : plan_.length),
        in_side_(side_of(plan_.kernels.front().in)),
        out_side_(side_of(plan_.kernels.back().out)) {
    // An odd batch leaves a last thread block incomplete.
    batch_ = length_ < 3000 ? 3 : 1;
    head_.batch = static_cast<std::uint64_t>(batch_);
    const auto places = [&](const families::fft::Layout& layout, std::uint64_t stride, std::uint64_t distance) {
      return families::fft::places_of({head_.batch, stride, distance}, extents_of_side(plan_, layout));
    };
    head_.in_distance = in_stride() * size(in_side_.count) + 2;
    head_.out_distance = out_stride() * size(out_side_.count) + 1;
    head_.in_places = places(plan_.kernels.front().in, in_stride(), head_.in_distance);
    head_.out_places = places(plan_.kernels.back().out, out_stride(), head_.out_distance);
    // Of numbers, the first half of the array is used.
    const std::vector<Complex> signal = random_signal<Real>(size(batch_) * head_.in_distance, 1);
    in_.assign(signal.begin(), signal.end());
    out_.assign(size(batch_) * head_.out_distance, Complex{77, 77});
    shorts_.resize(in_.size());
    for (std::size_t i = 0; i < shorts_.size(); ++i) shorts_[i] = static_cast<short>(static_cast<int>(i * 7 % 9) - 4);
    others_.resize(out_.size());
    for (std::size_t i = 0; i < others_.size(); ++i) others_[i] = static_cast<Real>(i * 3 % 7);
  }

  // Launches the kernels, by launch(kernel, pointer to the parameter, its bytes, thread blocks). The results must be
  // there when it returns.
  template <class Launch>
  void run(Launch launch) {
    Array<Complex> workspace(plan_.has_workspace() ? size(batch_ * plan_.workspace_points()) : 0);
    for (std::size_t kernel = 0; kernel < plan_.kernels.size(); ++kernel) {
      const std::vector<Complex> table = families::fft::roots_of<Real>(plan_.kernels[kernel]);
      const Array<Complex> roots(table.begin(), table.end());
      head_.workspace = workspace.data();
      head_.roots = roots.data();
      head_.load_info = load_info_.data();
      head_.store_info = store_info_.data();
      head_.out = out_.data();
      StructBytes parameter;
      if (request_.has_places()) parameter.add(head_);
      else parameter.add(static_cast<const ParameterHead&>(head_));
      parameter.template add<const void*>(in_.data());
      if (case_.shape == Shape::Graft) parameter.template add<const void*>(shorts_.data());
      if (case_.shape == Shape::Graft) parameter.template add<const void*>(others_.data());
      if (case_.shape == Shape::Graft) parameter.add(kGain);
      if (case_.has_between) parameter.add(kScale);
      if (case_.shape == Shape::Graft) parameter.add(std::array<Real, 2>{0, kOffset});
      launch(kernel, parameter.data(), parameter.size(), families::fft::launch_blocks(plan_.kernels[kernel], batch_));
    }
  }

  void expect_results() const {
    std::vector<bool> is_output(size(batch_) * head_.out_distance);
    for (std::int64_t b = 0; b < batch_; ++b) {
      std::vector<Wide> x;
      for (std::int64_t p = 0; p < in_side_.count; ++p) x.push_back(loaded(b, p));
      const std::vector<Wide> y = transformed(x);
      std::vector<Wide> expected;
      std::vector<Complex> found;
      for (std::int64_t p = 0; p < out_side_.count; ++p) {
        expected.push_back(stored(y[size(p)], b, p));
        const Wide value = element(out_, out_side_, out_offset(b, p));
        found.push_back({static_cast<Real>(value.real()), static_cast<Real>(value.imag())});
        is_output[out_offset(b, p)] = true;
      }
      ASSERT_LT(rms_error(found, expected), 6) << describe(plan_);
    }
    for (std::size_t i = 0; i < is_output.size(); ++i)
      ASSERT_TRUE(is_output[i] || element(out_, out_side_, i).real() == 77) << "gap at " << i;
  }

 private:
  // An array's elements: how many an FFT has, and whether they are numbers.
  struct Side {
    std::int64_t count;
    bool has_numbers;
  };
  Side side_of(const families::fft::Layout& layout) const {
    return {layout.count > 0 ? layout.count : length_, layout.has_numbers()};
  }

  static std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }
  // Of numbers, element 2 i is the real part of place i, and element 2 i + 1 the imaginary one.
  static Wide element(const Array<Complex>& array, const Side& side, std::size_t at) {
    if (!side.has_numbers) return {array[at].re, array[at].im};
    return at % 2 == 0 ? array[at / 2].re : array[at / 2].im;
  }

  // The shape of the whole FFT of a real one, whose elements are counted on the side of the numbers.
  std::vector<std::int64_t> shape_of_numbers() const {
    if (!plan_.shape.empty()) return plan_.shape;
    return {in_side_.has_numbers ? in_side_.count : out_side_.count};
  }

  // The whole spectrum of which half is given. What is its own conjugate becomes so.
  std::vector<Wide> whole_of(const std::vector<Wide>& half) const {
    const std::vector<std::int64_t> shape = shape_of_numbers();
    const std::size_t points = size(shape.back()), of_row = points / 2 + 1, rows = half.size() / of_row;
    std::vector<Wide> whole(rows * points);
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t rest = row, mirror = 0, unit = 1;  // the row with the negative frequencies of the slower dimensions
      for (std::size_t d = shape.size() - 1; d-- > 0;) {
        const std::size_t extent = size(shape[d]);
        mirror += (extent - rest % extent) % extent * unit;
        rest /= extent;
        unit *= extent;
      }
      for (std::size_t k = 0; k < of_row; ++k) {
        const Wide value = half[row * of_row + k];
        whole[row * points + k] += value / 2.0L;
        whole[mirror * points + (points - k) % points] += std::conj(value) / 2.0L;
        if (k == 0 || 2 * k == points) continue;
        whole[row * points + k] = value;
        whole[mirror * points + points - k] = std::conj(value);
      }
    }
    return whole;
  }

  static std::vector<Wide> half_of(const std::vector<Wide>& whole, std::size_t points) {
    std::vector<Wide> half;
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (i % points <= points / 2) half.push_back(whole[i]);
    return half;
  }

  std::vector<Wide> transformed(const std::vector<Wide>& x) const {
    const bool is_between = plan_.kernels.back().is_of_inverse && plan_.convolved == 0;
    if (in_side_.has_numbers || out_side_.has_numbers) {
      const std::vector<std::int64_t> shape = shape_of_numbers();
      if (!in_side_.has_numbers) return reference_fft(whole_of(x), shape, 1);
      std::vector<Wide> half = half_of(reference_fft(x, shape, -1), size(shape.back()));
      if (!is_between) return half;
      for (std::size_t k = 0; k < half.size(); ++k) half[k] *= filter(k);
      return reference_fft(whole_of(half), shape, 1);
    }
    std::vector<Wide> y = reference_fft(x, request_.plan.shape, request_.is_inverse ? 1 : -1);
    if (!is_between) return y;
    for (std::size_t k = 0; k < y.size(); ++k) y[k] *= filter(k);
    return reference_fft(y, request_.plan.shape, 1);
  }

  std::size_t in_stride() const { return request_.has_unit_stride_in ? 1 : 3; }
  std::size_t out_stride() const { return request_.has_unit_stride_out ? 1 : 2; }
  std::size_t in_offset(std::int64_t b, std::int64_t p) const {
    return size(b) * head_.in_distance + size(p) * in_stride();
  }
  std::size_t out_offset(std::int64_t b, std::int64_t p) const {
    return size(b) * head_.out_distance + size(p) * out_stride();
  }

  // What the callbacks of text_cases.hpp compute.
  Wide loaded(std::int64_t b, std::int64_t p) const {
    const std::size_t at = in_offset(b, p);
    const Wide value = element(in_, in_side_, at);
    switch (case_.shape) {
      case Shape::None:
        return value;
      case Shape::Cufft:
        return value * static_cast<long double>(load_info_[at % 7]);
      case Shape::Graft:
        break;
    }
    const auto index = static_cast<std::uint64_t>(b * in_side_.count + p);
    return value * (kGain + static_cast<long double>(index % 3)) + static_cast<long double>(shorts_[at]);
  }

  long double filter(std::size_t index) const {
    return !case_.has_between ? 1 : kScale * static_cast<long double>(index % 5) - 1;
  }

  Wide stored(Wide value, std::int64_t b, std::int64_t p) const {
    const std::size_t at = out_offset(b, p);
    value *= static_cast<long double>(request_.scale);
    switch (case_.shape) {
      case Shape::None:
        return value;
      case Shape::Cufft:
        return value * static_cast<long double>(store_info_[at % 5]);
      case Shape::Graft:
        break;
    }
    const auto index = static_cast<std::uint64_t>(b * out_side_.count + p);
    const long double added = kOffset * static_cast<long double>(index % 4);
    if (out_side_.has_numbers) return value.real() * others_[at] + added;
    return {value.imag() * others_[at], value.real() + added};
  }

  static constexpr Real kGain = 2, kScale = Real(0.5), kOffset = Real(0.25);

  const TextCase& case_;
  const families::fft::ProgramRequest& request_;
  const families::fft::Plan& plan_;
  std::int64_t length_;
  Side in_side_, out_side_;
  std::int64_t batch_ = 1;
  families::fft::StridedHead head_;
  Array<Complex> in_, out_;
  Array<short> shorts_;
  Array<Real> others_;
  Array<Real> load_info_ = {1, 2, 3, 4, 5, 6, 7};
  Array<Real> store_info_ = {1, -1, 2, -2, 4};
};

}  // namespace graft::test
