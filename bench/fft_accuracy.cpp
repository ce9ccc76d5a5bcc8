#include "fft_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "families/fft/reference.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using test::Wide;

template <class Real>
using Points = std::vector<graft_fft::Complex<Real>>;

template <class Real>
Points<Real> fetch(const DeviceBytes& from, std::size_t count) {
  Points<Real> points(count);
  check(cudaMemcpy(points.data(), from.get(), count * sizeof(points[0]), cudaMemcpyDeviceToHost));
  return points;
}

template <class Real>
nlohmann::json accuracy_of(Subject& subject) {
  const auto length = static_cast<std::size_t>(subject.length());
  constexpr std::size_t kPoints = 1U << 16;
  const std::size_t ffts = std::min((kPoints + length - 1) / length, static_cast<std::size_t>(subject.batch()));
  const Points<Real> in = fetch<Real>(subject.memory().in, ffts * length);
  const test::ReferenceFft reference(length, -1);
  std::vector<Wide> expected;
  for (std::size_t b = 0; b < ffts; ++b) {
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(b * length);
    const std::vector<Wide> one = reference(test::wide(Points<Real>(begin, begin + subject.length())));
    expected.insert(expected.end(), one.begin(), one.end());
  }
  const auto error_of = [&](const Contender& contender) {
    contender.launch();
    check(cudaStreamSynchronize(subject.stream()));
    return test::rms_error(fetch<Real>(subject.memory().out, ffts * length), expected);
  };
  const double cufft = error_of(subject.cufft());
  const double graft = error_of(
      subject.graft(fft::make_plan(subject.length(), subject.precision(), subject.architecture()), Calls::Nothing));
  fmt::print("{:8} {}  rms error: graft {:.2f} eps | cuFFT {:.2f} ({:.2f})\n", length, name_of(subject.precision()),
             graft, cufft, graft / cufft);
  return {{"length", length}, {"precision", name_of(subject.precision())}, {"graft_eps", graft}, {"cufft_eps", cufft}};
}

}  // namespace

nlohmann::json measure_accuracy(Subject& subject) {
  return subject.precision() == fft::Precision::Single ? accuracy_of<float>(subject) : accuracy_of<double>(subject);
}

}  // namespace graft::bench
