// Runs the generated texts, which were compiled for the CPU, and compares with FFTs in long double: with and without
// callbacks of both shapes, strides, both directions, scaling, inverses in the same kernel.
#include <gmock/gmock.h>

#include <array>
#include <cstring>

#include "families/fft/host_text.hpp"
#include "families/fft/reference.hpp"
#include "families/fft/roots.hpp"
#include "families/fft/text_cases.hpp"

namespace graft::test {

extern const std::vector<HostText> texts_0, texts_1, texts_2, texts_3;

namespace {

using families::fft::Hook;
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
  const void* data() const { return bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
};

template <class Real>
class CaseOnHost {
 public:
  using Complex = graft_fft::Complex<Real>;

  explicit CaseOnHost(const TextCase& of_case)
      : request_(of_case.request), plan_(request_.plan), length_(plan_.length), number_(of_case.number) {
    // An odd batch leaves a last thread block incomplete.
    batch_ = length_ < 3000 ? 3 : 1;
    head_.batch = static_cast<std::uint64_t>(batch_);
    head_.in_stride = request_.has_unit_stride_in ? 1 : 3;
    head_.in_distance = head_.in_stride * size(length_) + 2;
    head_.out_stride = request_.has_unit_stride_out ? 1 : 2;
    head_.out_distance = head_.out_stride * size(length_) + 1;
    in_ = random_signal<Real>(size(batch_) * head_.in_distance, 1);
    out_.assign(size(batch_) * head_.out_distance, Complex{77, 78});
    shorts_.resize(in_.size());
    for (std::size_t i = 0; i < shorts_.size(); ++i) shorts_[i] = static_cast<short>(static_cast<int>(i * 7 % 9) - 4);
    others_.resize(out_.size());
    for (std::size_t i = 0; i < others_.size(); ++i) others_[i] = static_cast<Real>(i * 3 % 7);
  }

  void run(const std::vector<HostText>& texts) {
    std::vector<Complex> workspace(plan_.has_workspace() ? size(batch_ * length_) : 0);
    for (std::size_t kernel = 0; kernel < plan_.kernels.size(); ++kernel) {
      const std::vector<Complex> roots = families::fft::roots_of<Real>(plan_.kernels[kernel]);
      head_.workspace = workspace.data();
      head_.roots = roots.data();
      head_.load_info = load_info_.data();
      head_.store_info = store_info_.data();
      head_.out = out_.data();
      StructBytes parameter;
      parameter.add(head_);
      parameter.add<const void*>(in_.data());
      if (request_.load.shape == Hook::Shape::Graft) parameter.add<const void*>(shorts_.data());
      if (request_.store.shape == Hook::Shape::Graft) parameter.add<const void*>(others_.data());
      if (request_.load.shape == Hook::Shape::Graft) parameter.add(kGain);
      if (request_.between.shape == Hook::Shape::Graft) parameter.add(kScale);
      if (request_.store.shape == Hook::Shape::Graft) parameter.add(std::array<Real, 2>{0, kOffset});
      const auto text = std::find_if(texts.begin(), texts.end(), [&](const HostText& candidate) {
        return candidate.number == number_ && candidate.kernel == kernel;
      });
      ASSERT_NE(text, texts.end());
      text->run(parameter.data(),
                static_cast<unsigned long long>(families::fft::launch_blocks(plan_.kernels[kernel], batch_)));
    }
  }

  void expect_results() const {
    std::vector<bool> is_output(out_.size());
    for (std::int64_t b = 0; b < batch_; ++b) {
      std::vector<Wide> x;
      for (std::int64_t p = 0; p < length_; ++p) x.push_back(loaded(b, p));
      std::vector<Wide> y = reference_fft(x, request_.is_inverse ? 1 : -1);
      if (plan_.kernels[0].block.inverse_begin > 0) {
        for (std::size_t k = 0; k < y.size(); ++k) y[k] *= filter(k);
        y = reference_fft(y, 1);
      }
      std::vector<Wide> expected;
      std::vector<Complex> found;
      for (std::int64_t p = 0; p < length_; ++p) {
        expected.push_back(stored(y[size(p)], b, p));
        found.push_back(out_[out_offset(b, p)]);
        is_output[out_offset(b, p)] = true;
      }
      ASSERT_LT(rms_error(found, expected), 6) << describe(plan_);
    }
    for (std::size_t i = 0; i < out_.size(); ++i) ASSERT_TRUE(is_output[i] || out_[i].re == 77) << "gap at " << i;
  }

 private:
  static std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }
  std::size_t in_offset(std::int64_t b, std::int64_t p) const {
    return size(b) * head_.in_distance + size(p) * head_.in_stride;
  }
  std::size_t out_offset(std::int64_t b, std::int64_t p) const {
    return size(b) * head_.out_distance + size(p) * head_.out_stride;
  }

  // What the callbacks of text_cases.hpp compute.
  Wide loaded(std::int64_t b, std::int64_t p) const {
    const std::size_t at = in_offset(b, p);
    const Wide value(in_[at].re, in_[at].im);
    switch (request_.load.shape) {
      case Hook::Shape::None:
        return value;
      case Hook::Shape::Cufft:
        return value * static_cast<long double>(load_info_[at % 7]);
      case Hook::Shape::Graft:
        break;
    }
    const auto index = static_cast<std::uint64_t>(b * length_ + p);
    return value * (kGain + static_cast<long double>(index % 3)) + static_cast<long double>(shorts_[at]);
  }

  long double filter(std::size_t index) const {
    return request_.between.shape == Hook::Shape::None ? 1 : kScale * static_cast<long double>(index % 5) - 1;
  }

  Wide stored(Wide value, std::int64_t b, std::int64_t p) const {
    const std::size_t at = out_offset(b, p);
    value *= static_cast<long double>(request_.scale);
    switch (request_.store.shape) {
      case Hook::Shape::None:
        return value;
      case Hook::Shape::Cufft:
        return value * static_cast<long double>(store_info_[at % 5]);
      case Hook::Shape::Graft:
        break;
    }
    const auto index = static_cast<std::uint64_t>(b * length_ + p);
    return {value.imag() * others_[at], value.real() + kOffset * static_cast<long double>(index % 4)};
  }

  static constexpr Real kGain = 2, kScale = Real(0.5), kOffset = Real(0.25);

  const families::fft::ProgramRequest& request_;
  const families::fft::Plan& plan_;
  std::int64_t length_;
  int number_;
  std::int64_t batch_ = 1;
  ParameterHead head_;
  std::vector<Complex> in_, out_;
  std::vector<short> shorts_;
  std::vector<Real> others_;
  std::array<Real, 7> load_info_ = {1, 2, 3, 4, 5, 6, 7};
  std::array<Real, 5> store_info_ = {1, -1, 2, -2, 4};
};

template <class Real>
void expect_case(const TextCase& of_case, const std::vector<HostText>& texts) {
  CaseOnHost<Real> on_host(of_case);
  on_host.run(texts);
  on_host.expect_results();
}

TEST(TextOnHost, ComputesWhatTheReferenceComputes) {
  std::vector<HostText> texts;
  for (const auto* share : {&texts_0, &texts_1, &texts_2, &texts_3})
    texts.insert(texts.end(), share->begin(), share->end());
  const std::vector<TextCase> cases = text_cases();
  EXPECT_EQ(cases.size(), 140);
  for (const TextCase& of_case : cases) {
    SCOPED_TRACE(of_case.number);
    if (of_case.is_double()) expect_case<double>(of_case, texts);
    else expect_case<float>(of_case, texts);
  }
}

}  // namespace
}  // namespace graft::test
